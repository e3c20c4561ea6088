import type { FrameworkSnippets } from './snippet-corpus.ts'

const DJANGO_SNIPPETS: FrameworkSnippets = {
  framework: 'Django',
  language: 'Python',
  finds: ['endpoints', 'stores'],
  found: [
    {
      title: 'included modules and lists; methods by decorators and classes',
      files: {
        'shop/urls.py': `from django.urls import include, path, re_path
from shop import views
inner = [path("list/", views.List.as_view())]
urlpatterns = [
    path("", views.index),
    path("api/", include("shop.api.urls")),
    path("inner/", include((inner, "inner"))),
    path("deep/", include([
        # a comment is no pattern
        path("x/", views.index),
    ])),
    re_path(r"^old/(?P<id>\\d+)/$", views.old),
]`,
        'shop/views.py': `from django.views.generic import ListView
from django.views.decorators.http import require_POST
def index(request): ...
@require_POST
def old(request, id): ...
class List(ListView): ...`,
        'shop/api/urls.py': `from django.urls import path
from shop import views
urlpatterns = [path("ping/", views.index)]`,
      },
      rows: [
        'in 3: REST ANY /api/ping/, views.index',
        'in 3: REST GET /inner/list/, views.List',
        'in 5: REST ANY /, views.index',
        'in 10: REST ANY /deep/x/, views.index',
        'in 12: REST POST /old/{id}/, views.old',
      ],
    },
    {
      title: 'languages as a prefix, the admin site, views of a wildcard import',
      files: {
        'site/urls.py': `from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import path
from .views import *
urlpatterns = [path("admin/", admin.site.urls)]
urlpatterns += i18n_patterns(path("about/", about))
websocket_urlpatterns = [path("ws/live/", Live.as_asgi())]`,
        'site/views.py': `from django.views.decorators.http import require_GET
@require_GET
def about(request): ...`,
      },
      rows: [
        'in 5: REST ANY /admin/, admin.site.urls',
        'in 6: REST GET /{language}/about/, about [medium]',
        'in 7: REST WS /ws/live/, Live',
      ],
    },
    {
      title: 'databases, caches and channels in the settings',
      files: {
        'site/settings.py': `import os
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": os.getenv("DB_HOST", "db"),
        "NAME": "shop",
        "PORT": "5432",
    }
}
CACHES = {"default": {"BACKEND": "django_redis.cache.RedisCache", "LOCATION": "redis://cache:6379/1"}}
CHANNEL_LAYERS = {"default": {"CONFIG": {"hosts": [("live", 6379)]}}}`,
        'other/settings.py': `import dj_database_url
DATABASES = {"default": dj_database_url.config(default="mysql://mysql/app")}`,
      },
      rows: [
        'out 2: SQL Django -> mysql://mysql/app',
        'out 2: SQL Django -> postgresql://db:5432/shop [medium]',
        'out 10: Redis Django -> redis://cache:6379/1',
        'out 11: Redis Django Channels -> redis://live',
      ],
    },
  ],
  notFound: [
    {
      title: 'paths of files, and a cache in the memory of the process',
      files: {
        'a.py': `from django.conf import settings
from pathlib import Path
files = [Path("a/"), open("b/")]
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}`,
      },
    },
  ],
}

const REST_FRAMEWORK: FrameworkSnippets = {
  framework: 'Django REST framework',
  language: 'Python',
  finds: ['endpoints'],
  found: [
    {
      title: 'viewsets of a router with extra actions',
      files: {
        'api/urls.py': `from rest_framework.routers import DefaultRouter
from django.urls import include, path
from .viewsets import Books
router = DefaultRouter()
router.register("books", Books)
urlpatterns = [path("v1/", include(router.urls))]`,
        'api/viewsets.py': `from rest_framework import viewsets
class Books(viewsets.ReadOnlyModelViewSet):
    @action(detail=True, methods=["post"])
    def lend(self, request, pk): ...`,
      },
      rows: [
        'in 5: REST GET /v1/books, Books.list',
        'in 5: REST GET /v1/books/{pk}, Books.retrieve',
        'in 5: REST POST /v1/books/{pk}/lend, Books.lend',
      ],
    },
    {
      title: 'the URLs of a router as patterns, a router below another',
      files: {
        'urls.py': `from django.urls import include, path
urlpatterns = [path("api/", include("dns.urls"))]`,
        'dns/urls.py': `from rest_framework_nested import routers
from dns.views import Domains, Records
router = routers.SimpleRouter()
router.register(r"domains", Domains)
records = routers.NestedSimpleRouter(router, r"domains", lookup="domain")
records.register(r"records", Records)
urlpatterns = router.urls + records.urls`,
        'dns/views.py': `from rest_framework import mixins, viewsets
class Domains(mixins.ListModelMixin, viewsets.GenericViewSet): ...
class Records(viewsets.ViewSet):
    def create(self, request): ...`,
      },
      rows: [
        'in 4: REST GET /api/domains, Domains.list',
        'in 6: REST POST /api/domains/{domain_pk}/records, Records.create',
      ],
    },
    {
      title: 'generic views and functions with listed methods',
      files: {
        'urls.py': `from django.urls import path
from views import Orders, status
urlpatterns = [path("orders/", Orders.as_view()), path("status/", status)]`,
        'views.py': `from rest_framework import generics
from rest_framework.decorators import api_view
class Orders(generics.ListCreateAPIView): ...
@api_view(["GET", "PUT"])
def status(request): ...`,
      },
      rows: [
        'in 3: REST GET /orders/, Orders',
        'in 3: REST GET /status/, status',
        'in 3: REST POST /orders/, Orders',
        'in 3: REST PUT /status/, status',
      ],
    },
  ],
  notFound: [
    {
      title: 'something else that is registered',
      files: {
        'a.py': `from rest_framework import serializers
registry = Registry()
registry.register("books", Books)
class Books: ...`,
      },
    },
  ],
}

const AIOHTTP_SERVER: FrameworkSnippets = {
  framework: 'aiohttp.web',
  language: 'Python',
  finds: ['endpoints'],
  found: [
    {
      title: 'a table of routes with decorators',
      files: {
        'a.py': `from aiohttp import web
routes = web.RouteTableDef()
@routes.get("/hello")
async def hello(request): ...
app = web.Application()
app.add_routes(routes)`,
      },
      rows: ['in 3: REST GET /hello, hello'],
    },
    {
      title: 'a list of routes, a view class',
      files: {
        'a.py': `from aiohttp import web
class Item(web.View):
    async def get(self): ...
    async def put(self): ...
app = web.Application()
app.add_routes([web.post("/items", create), web.view("/items/{id}", Item)])`,
      },
      rows: [
        'in 6: REST GET /items/{id}, Item',
        'in 6: REST POST /items, create',
        'in 6: REST PUT /items/{id}, Item',
      ],
    },
    {
      title: 'calls on the router, an application inside another',
      files: {
        'a.py': `from aiohttp import web
app = web.Application()
admin = web.Application()
app.router.add_get("/ready", ready)
admin.router.add_route("DELETE", "/cache", clear)
app.add_subapp("/admin/", admin)`,
      },
      rows: ['in 4: REST GET /ready, ready', 'in 5: REST DELETE /admin/cache, clear'],
    },
  ],
  notFound: [
    {
      title: 'a decorator of a session',
      files: {
        'a.py': `import aiohttp
def load(catalog):
    catalog.add_view("/items", None)
    return [catalog.get("/items")]`,
      },
    },
  ],
}

export const PYTHON_DJANGO_SNIPPETS: readonly FrameworkSnippets[] = [
  DJANGO_SNIPPETS,
  REST_FRAMEWORK,
  AIOHTTP_SERVER,
]
