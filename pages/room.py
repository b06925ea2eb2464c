"""What does the class say?"""

from alibi_viz.ui.frame.header import page_header
from alibi_viz.ui.room.key import held_room
from alibi_viz.ui.room.screen import join_address, show_door, show_room, stepper

room = held_room()
page_header("room", step=stepper(room), code=join_address(room))
if room is None:
    show_door()
else:
    show_room(room)
