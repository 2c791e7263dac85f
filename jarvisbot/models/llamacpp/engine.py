"""One generation, step by step: prompt, prefill in slices, tokens one at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence

from jarvisbot.model import Usage
from jarvisbot.models.llamacpp.loading import ModelHandles
from jarvisbot.models.llamacpp.memory import SLICE_TOKENS, Memory, shared_prefix
from jarvisbot.models.llamacpp.output import Output, ThinkWatch
from jarvisbot.models.llamacpp.protocol import (
    Count,
    Counted,
    Event,
    Failed,
    Finished,
    Generate,
    Inspect,
    Inspected,
    Loaded,
    Piece,
    Progress,
    TooLong,
)
from jarvisbot.models.llamacpp.rules import BadGrammar, GrammarRule, SlotCharacters
from jarvisbot.models.llamacpp.sampling import Chain, Chooser, Rule, RuledChooser
from jarvisbot.models.llamacpp.template import CHATML, BadTemplate, Template
from jarvisbot.models.llamacpp.vocabulary import Vocabulary
from jarvisbot.models.llamacpp.writing import Writing

__all__ = ["Engine"]


class Engine:
    """A loaded model at work. Owns what its context has evaluated; one generation runs at a time."""

    def __init__(self, handles: ModelHandles, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._handles = handles
        self._clock = clock
        self.vocabulary = Vocabulary(handles.model)
        self.template = Template(
            handles.chat_template() or CHATML,
            guard=self.vocabulary.specials.broken,
            bos=self.vocabulary.bos_text,
            eos=self.vocabulary.eos_text,
        )
        self._ends = self._end_tokens()
        self._memory = Memory(handles.model, handles.context)

    def loaded(self) -> Loaded:
        """What is loaded, for the client."""
        return Loaded(
            name=self._handles.name,
            context_tokens=self._handles.context_tokens,
            tools=self.template.quirks.tools and self.template.quirks.calls,
            thinking=self.template.thinking,
            layers=self._handles.layers,
            gpu_layers=self._handles.gpu_layers,
        )

    def inspect(self, inspect: Inspect) -> Inspected:
        """What the model can do, found out by asking its template and its vocabulary."""
        ends = {self.vocabulary.text(token) for token in self._ends}
        known = {self.vocabulary.text(token) for token in self.vocabulary.end_tokens}
        turn_end = self.template.turn_end
        return Inspected(
            id=inspect.id,
            architecture=self._handles.architecture,
            template=self._handles.chat_template() is not None,
            tools=self.template.quirks.tools,
            calls=self.template.quirks.calls,
            thinking=self.template.thinking,
            think_close_tokens=len(self.vocabulary.tokens(ThinkWatch.CLOSE)),
            ends=tuple(sorted(ends)),
            added_ends=tuple(sorted(ends - known)),
            text_ends=(turn_end,) if turn_end and turn_end not in ends else (),
        )

    def count(self, count: Count) -> Counted | Failed:
        """How many tokens the prompt has."""
        try:
            rendered = self.template.render(count.turns, count.tools)
        except BadTemplate as error:
            return _refused(count.id, error)
        return Counted(id=count.id, tokens=len(self.vocabulary.prompt(rendered.text)))

    def generate(self, job: Generate) -> Generator[Event | None, None, None]:
        """The events of a generation, with a None for each step that has none: after any of them it may be closed.

        What is evaluated by then stays, and is used again by the next prompt that begins alike.
        """
        try:
            yield from self._generate(job)
        except BadTemplate as error:
            yield _refused(job.id, error)
        except BadGrammar:
            yield Failed(id=job.id, message="The language model's library cannot read the grammar of this request.")

    def _generate(self, job: Generate) -> Iterator[Event | None]:
        begun = self._clock()
        rendered = self.template.render(job.turns, job.tools, thinking=job.thinking)
        text, lead = rendered.text, rendered.opened
        ruled = job.slot is not None or job.grammar is not None
        if lead and ruled:
            text += self.template.think_close.lstrip("\n")  # a rule is for the reply, not for the thoughts before it
            lead = ""
        elif job.thinking and job.think_prefix and self.template.thinking and not ruled:
            lead = (lead or f"{ThinkWatch.OPEN}\n") + job.think_prefix
            text += lead.removeprefix(rendered.opened)
        thinking = bool(lead)
        if job.slot is not None:
            text += job.slot.prefix
            lead = job.slot.prefix
        prompt = self.vocabulary.prompt(text)
        room = self._handles.context_tokens - len(prompt)
        if room < 1:
            yield TooLong(id=job.id, needed=len(prompt), available=self._handles.context_tokens - 1)
            return
        chooser = self._chooser(job)
        try:
            writing = Writing(
                self._memory,
                self.vocabulary,
                chooser,
                ends=self._ends,
                output=Output((job.slot.stop,) if job.slot is not None else self.template.stops),
                think=ThinkWatch(opened=thinking, limit=job.think_tokens),
                think_close=self.template.think_close,
            )
            cached = self._memory.begin(prompt)
            for done in self._prefill(prompt, cached, self._checkpoint_at(job, prompt)):
                yield Progress(id=job.id, done=done, total=len(prompt))
                if not self._in_time(job, begun):
                    writing.reason = "time"
                    break
            prefilled = self._clock()
            if writing.reason != "time":
                if lead:
                    yield Piece(id=job.id, text=lead)
                for shown in writing.run(limit=job.max_tokens, room=room, in_time=lambda: self._in_time(job, begun)):
                    yield Piece(id=job.id, text=shown) if shown else None
        finally:
            chooser.free()
        usage = Usage(
            prompt_tokens=len(prompt),
            cached_tokens=cached,
            completion_tokens=writing.made,
            prefill_s=prefilled - begun,
            decode_s=self._clock() - prefilled,
        )
        yield Finished(id=job.id, reason=writing.reason, usage=usage)

    def _prefill(self, prompt: Sequence[int], cached: int, checkpoint_at: int | None) -> Iterator[int]:
        """Evaluates the prompt in slices; how many of its tokens are done, to begin with and after each slice."""
        done = cached
        yield done
        while done < len(prompt):
            if checkpoint_at is not None and done == checkpoint_at:
                self._memory.save()
            end = min(done + SLICE_TOKENS, len(prompt))
            if checkpoint_at is not None and done < checkpoint_at < end:
                end = checkpoint_at
            self._memory.evaluate(prompt[done:end], sample=end == len(prompt))
            done = end
            yield done

    def _checkpoint_at(self, job: Generate, prompt: Sequence[int]) -> int | None:
        """Where the generation prompt begins, for a model whose state has to be kept there."""
        if not self._memory.grows_only:
            return None
        talk = self.template.render(job.turns, job.tools, thinking=job.thinking, answer=False)
        return shared_prefix(self.vocabulary.prompt(talk.text), prompt)

    def _chooser(self, job: Generate) -> Chooser:
        """Raises BadGrammar."""
        rule: Rule | None = None
        if job.grammar is not None:
            rule = GrammarRule(job.grammar, self.vocabulary)
        elif job.slot is not None:
            rule = SlotCharacters(job.slot, self.vocabulary)
        chain = Chain(self._handles.context, self.vocabulary.size, job.sampling)
        return chain if rule is None else RuledChooser(self._handles.context, self.vocabulary.size, chain, rule)

    def _end_tokens(self) -> frozenset[int]:
        """The vocabulary's own, and the control tokens that end a turn or begin the next one in this template."""
        firsts = {self.vocabulary.tokens(stop)[0] for stop in self.template.turn_tags}
        return self.vocabulary.end_tokens | (firsts & self.vocabulary.control_tokens)

    def _in_time(self, job: Generate, begun: float) -> bool:
        return job.wall_s is None or self._clock() - begun < job.wall_s


def _refused(number: int, error: BadTemplate) -> Failed:
    return Failed(id=number, message=f"The model's chat template refuses this conversation: {error}.")
