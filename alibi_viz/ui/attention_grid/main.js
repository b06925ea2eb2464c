// What Streamlit calls: at mounting, with each rerun's data, and when the theme changes.

const VIEWS = new WeakMap();

export default function (component) {
  const root = component.parentElement.querySelector(".overview");
  if (!VIEWS.has(root)) {
    VIEWS.set(root, new GridView(root, component.parentElement.host ?? component.parentElement));
  }
  const view = VIEWS.get(root);
  view.update(component);
  return () => view.stop();
}
