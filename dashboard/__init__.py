"""The page that shows a run.

Floors: app > pages | controls > state > views > retrieval. Only app, pages, controls and the component know Streamlit.
"""

SERVER_FLAGS = (
    "--browser.gatherUsageStats=false",
    "--server.address=127.0.0.1",
    "--server.headless=true",
    "--server.fileWatcherType=none",
    "--client.toolbarMode=minimal",
    "--theme.light.primaryColor=#1f5f8b",
    "--theme.dark.primaryColor=#3f86ba",
)
"""The flags of ``streamlit run`` that say the same as ``.streamlit/config.toml``, for a start from any folder."""
