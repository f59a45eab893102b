"""Downloader on Scrapy's engine, one request at a time.

Scrapy's scheduler, duplicate filter, retries, redirects, robots.txt and throttling are off, because the ledger decides
these matters: Scrapy loses redirects to seen pages, and forgets pending requests when it is killed.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import AsyncIterator
from typing import Any

from OpenSSL.SSL import Error as TLSError
from scrapy import Request, Spider
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from twisted.internet.error import ConnectError, ConnectionClosed
from twisted.web.client import RequestGenerationFailed, RequestTransmissionFailed

from draw_dataset.collect.ledger import Ending, State
from draw_dataset.collect.loop import Crawl
from draw_dataset.collect.politeness import Answer, Judgement

_BROKEN = (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    ConnectError,  # from here on: errors of the layers below that Scrapy does not catch
    ConnectionClosed,
    RequestGenerationFailed,
    RequestTransmissionFailed,
    TLSError,
    OSError,
)
_PROXY = "scrapy.downloadermiddlewares.httpproxy.HttpProxyMiddleware"


def run_crawl(crawl: Crawl, agent: str, timeout: float) -> bool:
    """Run a crawl in Scrapy's engine, once a process, until it ends or is interrupted; return whether all is done."""
    settings = {
        "CONCURRENT_REQUESTS": 1,
        "COOKIES_ENABLED": False,
        "DOWNLOADER_MIDDLEWARES_BASE": {_PROXY: 750},
        "DOWNLOAD_DELAY": 0,
        "DOWNLOAD_FAIL_ON_DATALOSS": True,
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), _OneRequestHandler),
        "DOWNLOAD_MAXSIZE": crawl.options.max_size,
        "DOWNLOAD_WARNSIZE": 0,
        "EXTENSIONS_BASE": {},
        "LOG_ENABLED": False,
        "LOG_INSTALL_ROOT_HANDLER": False,
        "RANDOMIZE_DOWNLOAD_DELAY": False,
        "SPIDER_MIDDLEWARES_BASE": {},
        "TELNETCONSOLE_ENABLED": False,
    }
    process = AsyncCrawlerProcess(settings)
    # Scrapy would warn about pages that are too large or cut; the ledger records these.
    logging.getLogger("scrapy").setLevel(logging.ERROR)
    outcome: list[asyncio.Task[bool]] = []
    process.crawl(_LedgerSpider, crawl=crawl, agent=agent, timeout=timeout, outcome=outcome)
    process.start(install_signal_handlers=False)
    return outcome[0].result()


class _OneRequestHandler(HTTP11DownloadHandler):
    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool.persistent = False  # on a broken connection Twisted would repeat a request without the delay


class _LedgerSpider(Spider):
    name = "ledger"

    def __init__(
        self, crawl: Crawl, agent: str, timeout: float, outcome: list[asyncio.Task[bool]], **more: Any
    ) -> None:
        super().__init__(**more)
        self.crawl = crawl
        self.headers = {"User-Agent": agent, "Accept": "text/html,*/*;q=0.5", "Accept-Encoding": "gzip"}
        self.timeout, self.outcome = timeout, outcome

    async def start(self) -> AsyncIterator[Any]:
        """Do all the work; nothing is left to the engine's own queue."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._interrupt, number)
        task = asyncio.ensure_future(self.crawl.run(self._download))
        self.outcome.append(task)
        await asyncio.wait({task})
        nothing: tuple[Any, ...] = ()
        for request in nothing:  # this makes the method a generator, which the engine needs
            yield request

    def _interrupt(self, number: int) -> None:
        print("stopping after this page; press Ctrl-C again to stop at once", file=sys.stderr)
        self.crawl.stopping.set()
        asyncio.get_running_loop().remove_signal_handler(number)
        signal.signal(number, signal.SIG_DFL)

    async def _download(self, url: str) -> Answer | Judgement:
        meta = {"download_timeout": self.timeout}
        try:
            request = Request(url, headers=self.headers, meta=meta, dont_filter=True)
            response = await self.crawler.engine.download_async(request)
        except ResponseDataLossError:
            return _failure(url, State.TRUNCATED, "the connection ended before the page")
        except DownloadTimeoutError:
            return _failure(url, State.TIMEOUT, f"no complete answer in {self.timeout:g} seconds")
        except DownloadCancelledError:  # only an answer above the size limit cancels a request
            return Judgement(Ending(State.TOO_LARGE, f"more than {self.crawl.options.max_size} bytes", final_url=url))
        except _BROKEN as error:
            return _failure(url, State.CONNECTION_FAILED, str(error) or type(error).__name__)
        except (UnsupportedURLSchemeError, ValueError) as error:
            return Judgement(Ending(State.REFUSED, f"not an address that can be fetched: {error}", final_url=url))
        headers = {
            name.decode("latin-1").lower(): b", ".join(values).decode("latin-1")
            for name, values in response.headers.items()
        }
        return Answer(url, response.status, headers, response.body, "partial" not in response.flags)


def _failure(url: str, state: State, detail: str) -> Judgement:
    return Judgement(Ending(state, detail[:200], final_url=url), passing=True)
