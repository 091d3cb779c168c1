"""Compile a transformer with its decoding loop, which stops early, as one graph.

    python examples/torch_compile.py

The loop of `generate` ends as soon as every sequence of the batch has its end token. `torch.compile` with
`fullgraph=True` rejects it as it is written, because a condition depends on data. Converted, it is one
`while_loop` in one graph, with the model's layers inside.
"""

from __future__ import annotations

import torch
from torch import nn

import autograph_rs as ag

TOKENS, WIDTH, HEADS, LONGEST, END = 32, 32, 4, 24, 0


class Block(nn.Module):
    """Attention to all earlier places, and a layer of its own for each place."""

    def __init__(self) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.inputs, self.outputs = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.feed_forward = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Map an array of shape (batch, places, WIDTH) to one of the same shape."""
        batch, places, _ = x.shape
        parts = self.inputs(self.norms[0](x)).reshape(batch, places, 3, HEADS, WIDTH // HEADS)
        queries, keys, values = parts.permute(2, 0, 3, 1, 4)
        attended = nn.functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        x = x + self.outputs(attended.transpose(1, 2).reshape(batch, places, WIDTH))
        return x + self.feed_forward(self.norms[1](x))


class Decoder(nn.Module):
    """A small language model that writes a text after its first tokens."""

    def __init__(self, layers: int = 2) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(TOKENS, WIDTH), nn.Embedding(LONGEST, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(layers))
        self.head = nn.Linear(WIDTH, TOKENS)

    def logits(self, text: torch.Tensor) -> torch.Tensor:
        x = self.tokens(text) + self.places.weight
        for block in self.blocks:
            x = block(x)
        return self.head(x)

    def forward(self, prompt: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Continue a batch of prompts greedily.

        Args:
            prompt: tokens, an int64 array of shape (batch, length).

        Returns:
            The texts, an int64 array of shape (batch, LONGEST) that is END after the last token, and the
            number of tokens that the longest of them has.
        """
        batch, length = prompt.shape
        text = torch.full((batch, LONGEST), END)
        text[:, :length] = prompt
        place = torch.tensor(length)
        done = torch.zeros(batch, dtype=torch.bool)
        while place < LONGEST and not done.all():
            scores = torch.index_select(self.logits(text), 1, place.reshape(1) - 1).squeeze(1)
            token = torch.where(done, END, scores.argmax(-1))
            text = torch.where(torch.arange(LONGEST) == place, token[:, None], text)
            done = done | (token == END)
            place = place + 1
        return text, place


@torch.no_grad()
def main() -> None:
    torch.manual_seed(1)
    plain = Decoder().eval()
    prompts = [torch.randint(1, TOKENS, (4, 3)) for _ in range(3)]

    try:
        torch.compile(plain, fullgraph=True)(prompts[0])
    except RuntimeError as error:
        print("as written:", type(error).__name__)

    model = torch.compile(ag.convert_module(plain), fullgraph=True)
    for bias in (0.0, 1.0):  # with the bias, the end token is likelier, and the loop stops earlier
        plain.head.bias[END] += bias
        for prompt in prompts:
            text, length = model(prompt)
            assert torch.equal(text, plain(prompt)[0])  # called outside the compiled model, Python runs it
            print(f"bias {bias}: {int(length)} of {LONGEST} places, first text {text[0].tolist()}")


if __name__ == "__main__":
    main()
