"""The way in for programs of this machine while `jarvisbot run` holds the data folder: a unix socket in that folder.

protocol   the frames that travel, and how they are read and written
place      where the socket lies, who may use it
attached   a console that is attached, as the service knows it
service    the running bot's end: a connector that relays the console's talk to whoever is attached
client     the other end: an inbox over the socket, for the same console that a talk without a service uses
"""
