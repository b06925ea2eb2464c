import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from alibi_viz.inspection.errors import UnfitAsking, UnreadableModel
from alibi_viz.inspection.text.tokens import tokenise, tokens_of_numbers


@pytest.fixture(scope="module")
def words():
    """A tokenizer of words, which works on characters, with one unknown token."""
    vocabulary = {"<unk>": 0, "größer": 1, "als": 2, "🙂": 3}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


@pytest.fixture(scope="module")
def byte_fallback():
    """A tokenizer as Llama's: characters, and single bytes for those that it does not know."""
    vocabulary = {"<unk>": 0, "a": 1} | {f"<0x{byte:02X}>": byte + 2 for byte in range(256)}
    tokenizer = Tokenizer(
        models.BPE(vocab=vocabulary, merges=[], byte_fallback=True, unk_token="<unk>")
    )
    tokenizer.normalizer = normalizers.Sequence([])
    tokenizer.decoder = decoders.ByteFallback()
    return tokenizer


def spans(found):
    return [(token.start, token.end) for token in found.tokens]


def test_byte_level_tokens_cover_every_byte_once(tokenizer):
    text = "ä = '🙂🙃'\n"
    found = tokenise(tokenizer, text)
    assert spans(found)[0][0] == 0
    assert spans(found)[-1][1] == len(text.encode())
    assert all(a[1] == b[0] for a, b in zip(spans(found), spans(found)[1:], strict=False))
    assert found.replaced == found.cut == 0


def test_a_character_split_over_tokens_shows_its_bytes(tokenizer):
    found = tokenise(tokenizer, "🙃")
    assert "".join(token.text for token in found.tokens) == r"\xf0\x9f\x99\x83"
    assert spans(found) == [(0, 1), (1, 2), (2, 3), (3, 4)]


def test_word_tokens_cover_the_bytes_of_their_characters(words):
    found = tokenise(words, "größer als 🙂")
    assert spans(found) == [(0, 8), (9, 12), (13, 17)]
    assert [token.text for token in found.tokens] == ["größer", "als", "🙂"]


def test_bytes_that_share_a_character_share_it_out(byte_fallback):
    assert spans(tokenise(byte_fallback, "a🙂a")) == [
        (0, 1),
        (1, 2),
        (2, 3),
        (3, 4),
        (4, 5),
        (5, 6),
    ]


def test_a_space_put_before_the_text_covers_nothing(tokenizer):
    spaced = Tokenizer.from_str(tokenizer.to_str())
    spaced.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    assert spans(tokenise(spaced, "zq"))[0][0] == 0
    assert spans(tokenise(spaced, "zq"))[-1] == (1, 2)


def test_special_tokens_cover_no_bytes(tokenizer):
    from tokenizers.processors import TemplateProcessing

    started = Tokenizer.from_str(tokenizer.to_str())
    end = "<|endofdocument|>"
    started.post_processor = TemplateProcessing(
        single=f"{end} $A", special_tokens=[(end, tokenizer.token_to_id(end))]
    )
    first, second = tokenise(started, "zq").tokens[:2]
    assert (first.text, first.start, first.end) == (end, 0, 0)
    assert (second.start, second.end) == (0, 1)


def test_bytes_that_are_no_utf8_are_replaced_and_counted(tokenizer):
    found = tokenise(tokenizer, b"a\xff\xfeb")
    assert found.text == "a��b"
    assert found.replaced == 2


def test_a_replacement_character_of_the_text_itself_is_not_counted(tokenizer):
    assert tokenise(tokenizer, "�").replaced == 0
    assert tokenise(tokenizer, "�".encode()).replaced == 0


def test_half_a_surrogate_pair_is_replaced(tokenizer):
    assert tokenise(tokenizer, "a\ud83d").replaced == 1
    assert tokenise(tokenizer, "\ud83d\ude42").text == "🙂"


def test_the_limit_counts_what_is_left_out(tokenizer):
    found = tokenise(tokenizer, "zqzq", limit=3)
    assert (len(found.tokens), found.cut) == (3, 1)


def test_an_empty_text_is_an_error(tokenizer):
    with pytest.raises(ValueError, match="the text is empty"):
        tokenise(tokenizer, "")


def test_no_tokenizer_is_an_error():
    with pytest.raises(UnreadableModel, match="without a tokenizer"):
        tokenise(None, "a")


def test_without_a_tokenizer_a_text_is_one_of_token_numbers():
    found = tokens_of_numbers(" 17 4,\n902", 1000)
    assert [(t.id, t.text, t.start, t.end) for t in found.tokens] == [
        (17, "17", 1, 3), (4, "4", 4, 5), (902, "902", 7, 10),
    ]  # fmt: skip
    cut = tokens_of_numbers(b"1 2 3", 1000, limit=2)
    assert ([token.id for token in cut.tokens], cut.cut) == ([1, 2], 1)


@pytest.mark.parametrize("text", ["def mean", "17 4 1000", "-1", "1.5", "²", "", " , ", "٣"])
def test_other_texts_are_told_what_is_allowed(text):
    with pytest.raises(UnfitAsking, match='whole ones from 0 to 999, such as "17 4 902"; got'):
        tokens_of_numbers(text, 1000)
