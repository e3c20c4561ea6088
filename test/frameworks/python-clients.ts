import type { FrameworkSnippets } from './snippet-corpus.ts'

const REQUESTS: FrameworkSnippets = {
  framework: 'requests',
  language: 'Python',
  finds: ['calls'],
  found: [
    {
      title: 'functions of the module, constants and f-strings',
      files: {
        'app/github.py': `import requests
API = "https://api.github.com"
def repos(user):
    requests.get(f"{API}/users/{user}/repos", timeout=5)
    requests.post(url=API + "/gists", json={})
    requests.request("PATCH", "https://api.github.com/user")`,
      },
      rows: [
        'out 4: REST requests GET -> https://api.github.com/users/{user}/repos [medium]',
        'out 5: REST requests POST -> https://api.github.com/gists',
        'out 6: REST requests PATCH -> https://api.github.com/user',
      ],
    },
    {
      title: 'a session in a class, an address of the environment, urljoin',
      files: {
        'client.py': `import os
from urllib.parse import urljoin
import requests
class Billing:
    def __init__(self):
        self.base = os.environ.get("BILLING_URL", "http://billing:8000")
        self.session = requests.Session()
    def charge(self):
        return self.session.post(urljoin(self.base, "/charges"))`,
      },
      rows: ['out 9: REST requests POST -> http://billing:8000/charges, Billing [medium]'],
    },
    {
      title: 'a settings object of another file, a session of another file, settings of Django',
      files: {
        'shop/views.py': `import requests
from django.conf import settings
def check(request):
    return requests.get(settings.STOCK_URL)`,
        'shop/settings.py': `import os
STOCK_URL = "http://{}/check".format(os.environ.get("STOCK_HOST", "stock:8000"))`,
        'app/jobs.py': `from app.config import settings
from app.http import session
def run():
    session.delete("%s/orders/%s" % (settings.ORDERS_URL, 1))`,
        'app/http.py': `import requests
session = requests.Session()`,
        'app/config.py': `from pydantic_settings import BaseSettings
class Settings(BaseSettings):
    ORDERS_URL: str = "http://orders:8080"
settings = Settings()`,
      },
      rows: [
        'out 3: Configuration Service URL -> http://orders:8080; path ORDERS_URL',
        'out 4: REST requests DELETE -> http://orders:8080/orders/1',
        'out 4: REST requests GET -> http://stock:8000/check [medium]',
      ],
    },
  ],
  notFound: [
    {
      title: 'dictionaries and caches, addresses that are parameters, local names of other functions',
      files: {
        'a.py': `import requests
def other():
    url = "https://example.org/a"
    return url
def fetch(url, cache):
    cache.get("https://example.org/b")
    {}.get("https://example.org/c")
    return requests.get(url)`,
      },
    },
  ],
}

const HTTPX: FrameworkSnippets = {
  framework: 'httpx',
  language: 'Python',
  finds: ['calls'],
  found: [
    {
      title: 'a client with a base address in a with statement',
      files: {
        'a.py': `import httpx
async def load(id):
    async with httpx.AsyncClient(base_url="http://catalog:8000/v1") as client:
        await client.get(f"/items/{id}")
        await client.request("PUT", "/items")`,
      },
      rows: [
        'out 4: REST httpx GET -> http://catalog:8000/v1/items/{id} [medium]',
        'out 5: REST httpx PUT -> http://catalog:8000/v1/items',
      ],
    },
    {
      title: 'a client that a function returns',
      files: {
        'a.py': `from httpx import Client
def make():
    return Client(base_url="http://stock")
def check():
    make().head("/ready")`,
      },
      rows: ['out 5: REST httpx HEAD -> http://stock/ready'],
    },
    {
      title: 'a client that is injected, an address that a property returns',
      files: {
        'a.py': `import httpx
class Users:
    HOST = "users:8000"
    @property
    def base(self):
        return f"http://{self.HOST}"
    async def load(self, client: httpx.AsyncClient):
        url = f"{self.base}/users"
        await client.get("http://users:8000/users")
        await client.get(self.base)`,
      },
      rows: [
        'out 9: REST httpx GET -> http://users:8000/users, Users',
        'out 10: REST httpx GET -> http://users:8000, Users [medium]',
      ],
    },
  ],
  notFound: [
    {
      title: 'a test client of the own application',
      files: {
        'a.py': `import httpx
def check(client):
    client.get("/health")`,
      },
    },
  ],
}

const AIOHTTP_CLIENT: FrameworkSnippets = {
  framework: 'aiohttp client',
  language: 'Python',
  finds: ['calls'],
  found: [
    {
      title: 'a session in nested with statements',
      files: {
        'a.py': `import aiohttp
async def rates():
    async with aiohttp.ClientSession() as session:
        async with session.get("https://api.exchange.io/latest") as response:
            return await response.json()`,
      },
      rows: ['out 4: REST aiohttp GET -> https://api.exchange.io/latest'],
    },
    {
      title: 'a session as a parameter, a session with a base address',
      files: {
        'a.py': `from aiohttp import ClientSession
async def push(session: ClientSession):
    await session.post("http://hooks:80/push")
async def main():
    session = ClientSession("http://mail:25000")
    await session.put("/outbox")`,
      },
      rows: [
        'out 3: REST aiohttp POST -> http://hooks:80/push',
        'out 6: REST aiohttp PUT -> http://mail:25000/outbox',
      ],
    },
    {
      title: 'an address whose server is a variable of the environment',
      files: {
        'a.py': `import os, aiohttp
SEARCH = os.environ["SEARCH_URL"]
async def find(session: aiohttp.ClientSession):
    await session.get(f"{SEARCH}/find")`,
      },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the name of a variable of the environment
      rows: ['out 4: REST aiohttp GET -> ${SEARCH_URL}/find [low]'],
    },
  ],
  notFound: [
    {
      title: 'a session of a database',
      files: {
        'a.py': `import aiohttp
def load(session, key):
    return session.get(User, key)`,
      },
    },
  ],
}

export const PYTHON_HTTP_SNIPPETS: readonly FrameworkSnippets[] = [REQUESTS, HTTPX, AIOHTTP_CLIENT]
