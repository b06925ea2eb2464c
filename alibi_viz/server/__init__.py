"""What stands between the network and the app: headers, gates, static files, bounded logs.

Plain ASGI, without Streamlit; `alibi_viz.ui.frame.serve` puts the parts round it.
"""
