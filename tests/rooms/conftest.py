import pytest

from alibi_viz.rooms import seat
from alibi_viz.rooms.room import Room
from alibi_viz.rooms.store import Store


@pytest.fixture
def file(tmp_path):
    return tmp_path / "rooms.sqlite3"


@pytest.fixture
def store(file):
    store = Store(file)
    yield store
    store.close()


@pytest.fixture
def room(store):
    return Room.open(store)


@pytest.fixture
def student(store, room):
    """Joins a student and gives two things: what they see, and how they answer."""

    class Student:
        def __init__(self, name):
            self.name = name
            seat.join(store, room.code, name)

        def sees(self):
            return seat.view(store, room.code, self.name)

        def answers(self, given, number=1):
            seat.answer(store, room.code, self.name, number, given)

    return Student
