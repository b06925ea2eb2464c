"""Tokenizers of every kind that the library builds, on texts in several scripts."""

import unicodedata

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
from tokenizers.processors import TemplateProcessing

from alibi_viz.inspection.text.tokens import tokenise

TEXTS = {
    "English": "The slope's sign, twice:  once  here.",
    "German": "Größe und Maße: weiß, Äpfel ﬁnden.",
    "accents apart": "cafe\u0301 naI\u0308ve o\u0302\u0323",
    "Chinese": "中文没有空格,每个字都是字。",
    "Arabic": "السَّلامُ عليكم يا صديقي",
    "Hindi": "हिन्दी में नमस्ते दुनिया",
    "Korean": "한국어 문장입니다",
    "Thai": "ภาษาไทยไม่มีช่องว่าง",
    "emoji": "ok 👩‍👩‍👧 🇩🇪 👍🏽!",
    "space first": " a  b",
    "lines": "a\n\n\tb\r\nc",
}
KNOWN = [text for name, text in TEXTS.items() if name != "emoji"]


def byte_level(**given):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(**given)
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(KNOWN, trainer)
    return tokenizer


def normalised(tokenizer, normalizer):
    tokenizer.normalizer = normalizer
    return tokenizer


def unigram():
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=300, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False
    )
    tokenizer.train_from_iterator(KNOWN, trainer)
    return tokenizer


def bytes_beside(vocabulary):
    return vocabulary | {f"<0x{byte:02X}>": byte + len(vocabulary) for byte in range(256)}


def llama():
    """Normalised as Llama 2: a space first, all spaces as ▁, bytes for what is unknown."""
    vocabulary = bytes_beside({"<unk>": 0, "▁": 1, "a": 2, "中": 3})
    model = models.BPE(vocabulary, [], byte_fallback=True, unk_token="<unk>", fuse_unk=True)
    first = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    return normalised(Tokenizer(model), normalizers.Sequence(first))


def unigram_of_bytes():
    pieces = [(name, -5.0) for name in bytes_beside({"<unk>": 0, "▁": 1, "中": 2, "▁a": 3})]
    tokenizer = Tokenizer(models.Unigram(pieces, 0, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer


def wordpiece(**given):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(**given)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=500, special_tokens=["[UNK]", "[CLS]", "[SEP]"], show_progress=False
    )
    tokenizer.train_from_iterator(KNOWN, trainer)
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return tokenizer


def characters(normalizer):
    """BPE of characters with a mark at the end of words."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<unk>"],
        end_of_word_suffix="</w>",
        show_progress=False,
    )
    tokenizer.train_from_iterator(KNOWN, trainer)
    return tokenizer


def words():
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordLevelTrainer(special_tokens=["<unk>"], show_progress=False)
    tokenizer.train_from_iterator(KNOWN[:4], trainer)
    return tokenizer


KINDS = {
    "byte level": lambda: byte_level(add_prefix_space=False),
    "byte level, a space first": lambda: byte_level(add_prefix_space=True),
    "byte level, NFC": lambda: normalised(byte_level(add_prefix_space=False), normalizers.NFC()),
    "byte level, NFKD": lambda: normalised(byte_level(add_prefix_space=True), normalizers.NFKD()),
    "Unigram": unigram,
    "Unigram, NFKC": lambda: normalised(unigram(), normalizers.NFKC()),
    "Unigram of bytes": unigram_of_bytes,
    "Llama": llama,
    "WordPiece": wordpiece,
    "WordPiece, accents kept": lambda: wordpiece(strip_accents=False, lowercase=False),
    "BPE of characters": lambda: characters(normalizers.NFC()),
    "BPE of characters, NFKD": lambda: characters(normalizers.NFKD()),
    "words": words,
}


@pytest.fixture(scope="module", params=KINDS, ids=str)
def kind(request):
    return KINDS[request.param]()


def plain(text):
    """The letters of a text: what no kind of tokenizer takes away or changes."""
    apart = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in apart if not (c.isspace() or unicodedata.category(c) in MARKS))


# Accents, which some kinds strip; and joiners, which BERT's cleaning takes for control characters.
MARKS = ("Mn", "Cf")


@pytest.mark.parametrize("name", TEXTS)
def test_every_byte_of_the_text_belongs_to_one_token_at_most(kind, name):
    text = TEXTS[name]
    data, end = text.encode(), 0
    for token in tokenise(kind, text).tokens:
        # Spaces that a tokenizer throws away belong to none; nothing else is left out.
        assert plain(data[end : token.start].decode()) == ""
        assert end <= token.start <= token.end
        end = token.end
    assert plain(data[end:].decode()) == ""


@pytest.mark.parametrize("name", TEXTS)
def test_every_piece_of_the_text_is_shown_once(kind, name):
    text = TEXTS[name]
    found = tokenise(kind, text)
    data, shown = text.encode(), b""
    for token in found.tokens:
        piece = data[token.start : token.end]
        is_unknown = token.text in ("<unk>", "[UNK]")
        is_named = token.text in ("[CLS]", "[SEP]") or (not piece and token.text in ("▁", "Ġ"))
        shown += piece if is_unknown else b"" if is_named else as_bytes(token.text)
    assert plain(shown.decode()) == plain(text)
    assert found.unknown == sum(token.text in ("<unk>", "[UNK]") for token in found.tokens)


def as_bytes(shown):
    """The bytes of what is shown, where \\xf0 stands for one that is no character by itself."""
    return (
        shown.encode().decode("unicode_escape").encode("latin-1")
        if "\\x" in shown
        else (shown.encode())
    )


def shown(tokenizer, text):
    return [token.text for token in tokenise(tokenizer, text).tokens]


def test_a_space_that_unigram_puts_first_is_not_shown_as_the_first_character():
    vocabulary = [("<unk>", 0.0), ("▁", -1.0), ("中", -2.0), ("文", -2.0)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, 0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    assert shown(tokenizer, "中文") == ["▁", "中", "文"]
    assert shown(tokenizer, "文 中") == ["▁", "文", " ", "中"]


def test_the_bytes_of_an_emoji_are_shown_once():
    emoji = [r"\xf0", r"\x9f", r"\x99", r"\x82"]
    assert shown(llama(), "🙂") == ["▁", *emoji]
    assert [token.start for token in tokenise(llama(), "🙂").tokens] == [0, 0, 1, 2, 3]
    assert shown(unigram_of_bytes(), "中🙂") == ["▁", "中", *emoji]


def test_an_unknown_word_is_shown_as_what_the_model_reads():
    found = tokenise(wordpiece(), "The 🙂 slope")
    assert [token.text for token in found.tokens if token.text == "[UNK]"] == ["[UNK]"]
    assert found.unknown == 1
    # Unigram names it by what stands in the text.
    tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0)], 0))
    assert shown(tokenizer, "a日本a") == ["a", "<unk>", "a"]


def test_a_letter_and_its_accent_in_two_tokens_are_letters_and_no_bytes():
    tokenizer = Tokenizer(models.BPE({"e": 0, "\u0301": 1}, []))
    tokenizer.normalizer = normalizers.NFD()
    found = tokenise(tokenizer, "é")
    assert [(t.text, t.start, t.end) for t in found.tokens] == [("e", 0, 2), ("\u0301", 2, 2)]


def test_a_letter_and_its_accent_in_one_token_are_shown_whole():
    tokenizer = Tokenizer(models.BPE({"é": 0, "a": 1}, []))
    tokenizer.normalizer = normalizers.NFC()
    found = tokenise(tokenizer, "e\u0301a")
    assert [(t.text, t.start, t.end) for t in found.tokens] == [("e\u0301", 0, 3), ("a", 3, 4)]


def test_truncation_and_padding_of_the_file_do_not_touch_the_text():
    tokenizer = byte_level(add_prefix_space=False)
    text = TEXTS["English"]
    whole = tokenise(tokenizer, text)
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=16)
    assert tokenise(tokenizer, text) == whole
    assert len(tokenise(tokenizer, "a").tokens) == 1
    # The tokenizer itself is left as it was.
    assert tokenizer.truncation["max_length"] == 8
