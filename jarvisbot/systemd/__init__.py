"""What systemd is told and what it is given: words over its notify socket, and the unit that starts the program.

notify   READY, STATUS, WATCHDOG and STOPPING, as sd_notify(3) has them
unit     the shipped unit, made for the place where this installation lies
"""
