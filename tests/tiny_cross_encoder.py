"""A real cross-encoder of a few thousand numbers, made in a moment and trained on a few pairs of question and passage."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_STEPS = 80
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
Pair = tuple[str, str, bool]
"""A question, a passage, and whether they fit."""


def made(folder: Path, pairs: Sequence[Pair]) -> Path:
    """A model folder as the library saves it, and beside it ``plain``, as models for other tasks are saved. The same for the same pairs."""
    import torch
    from sentence_transformers import CrossEncoder
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # so small a model waits for its threads longer than it computes
    torch.manual_seed(7)
    words = sorted({word.lower() for question, passage, _ in pairs for word in re.findall(r"\w+", f"{question} {passage}")})
    plain = folder / "plain"
    plain.mkdir(parents=True)
    (plain / "vocab.txt").write_text("\n".join([*_SPECIAL, *words]), "utf-8")
    tokens = BertTokenizerFast(vocab=str(plain / "vocab.txt"), model_max_length=128, strip_accents=False)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 128}
    quiet = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    model = BertForSequenceClassification(BertConfig(vocab_size=len(_SPECIAL) + len(words), num_labels=1, **sizes, **quiet))
    _train(
        model, tokens([one[0] for one in pairs], [one[1] for one in pairs], padding=True, return_tensors="pt"), [one[2] for one in pairs]
    )
    model.eval().save_pretrained(plain)
    tokens.save_pretrained(plain)
    saved = folder / "cross-encoder"
    CrossEncoder(str(plain), local_files_only=True).save_pretrained(str(saved))
    torch.set_num_threads(threads)
    return saved


def _train(model: Any, read: Any, fits: Sequence[bool]) -> None:
    import torch

    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    wanted = torch.tensor(fits, dtype=torch.float32)
    for _ in range(_STEPS):
        optimiser.zero_grad()
        torch.nn.functional.binary_cross_entropy_with_logits(model(**read).logits[:, 0], wanted).backward()
        optimiser.step()
