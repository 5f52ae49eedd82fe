"""The page that shows a run.

Floors: app > page > running > controls and components > state > views > retrieval; .importlinter has them all. Views and what stands
below them know no Streamlit.

The folder is not called "pages": before the first run Streamlit takes a folder of that name beside the entry file for pages of its own, and
a link to one of them would show a blank page.
"""

SERVER_FLAGS = (
    "--browser.gatherUsageStats=false",
    "--server.address=127.0.0.1",
    "--server.headless=true",
    "--server.fileWatcherType=none",
    "--client.toolbarMode=minimal",
    "--runner.magicEnabled=false",
    "--global.minCachedMessageSize=1000000000",
    "--theme.light.primaryColor=#1f5f8b",
    "--theme.dark.primaryColor=#3f86ba",
)
"""The flags of ``streamlit run`` that say the same as ``.streamlit/config.toml``, for a start from any folder.

Streamlit sends a long message once and later names it only. After quick presses of a key a browser may have forgotten it, and the page
stands still; at a size that no message has, every one is sent whole.
"""
