// The key of a room stays in the presenter's browser: not in the address, which a projector shows.

const NAME = "alibi_viz_room";

function kept() {
  try {
    return JSON.parse(localStorage.getItem(NAME));
  } catch {
    return null;
  }
}

export default function ({ data, setStateValue }) {
  try {
    if (data.keep) localStorage.setItem(NAME, JSON.stringify(data.keep));
    else if (data.forget && kept()?.code === data.forget) localStorage.removeItem(NAME);
  } catch {
    /* A browser that keeps nothing: the room lasts as long as this page. */
  }
  if (!data.keep && !data.forget && kept()) setStateValue("kept", kept());
}
