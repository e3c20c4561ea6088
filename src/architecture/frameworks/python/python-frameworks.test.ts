import { expect, it } from 'vitest'
import { inboundRows, type Snippet } from '../../../../test/support/project-rows.ts'

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'FastAPI: decorators, prefixes of routers and of their mounts, settings of another file',
    files: {
      'app/main.py': `from fastapi import FastAPI
from app.core.config import settings
from app.api import api_router
app = FastAPI()
app.include_router(api_router, prefix=settings.API)
@app.get("/health")
async def health(): ...
`,
      'app/core/config.py': `class Settings(BaseSettings):
    API: str = "/api/v1"
settings = Settings()
`,
      'app/api/__init__.py': `from fastapi import APIRouter
from app.api.routes import users
api_router = APIRouter()
api_router.include_router(users.router, tags=["users"])
`,
      'app/api/routes/users.py': `from fastapi import APIRouter
router = APIRouter(prefix="/users")
@router.get("/", response_model=Users)
def read_users(): ...
@router.api_route("/{id}", methods=["GET", "HEAD"])
def read_user(id: int): ...
@cache.get("/not-a-route")
def other(): ...
`,
    },
    rows: [
      '3: REST GET /api/v1/users, read_users',
      '5: REST GET /api/v1/users/{id}, read_user',
      '5: REST HEAD /api/v1/users/{id}, read_user',
      '6: REST GET /health, health',
    ],
  },
  {
    title: 'Flask: routes, blueprints whose mount replaces their prefix, rules added by a call, resources',
    files: {
      'app.py': `from flask import Flask
from views import bp, items
def create_app():
    app = Flask(__name__)
    app.register_blueprint(bp, url_prefix="/v2")
    app.register_blueprint(items)
    app.add_url_rule("/ping", view_func=ping, methods=["POST"])
    return app
`,
      'views.py': `from flask import Blueprint
from flask_restful import Api, Resource
bp = Blueprint("bp", __name__, url_prefix="/v1")
items = Blueprint("items", __name__, url_prefix="/items")
api = Api(items)
@bp.route("/a", methods=["GET", "POST"])
def a(): ...
@items.get("/b")
def b(): ...
class Book(Resource):
    def get(self): ...
    def delete(self): ...
    def helper(self): ...
api.add_resource(Book, "/books/<int:id>")
`,
    },
    rows: [
      '7: REST POST /ping, ping',
      '6: REST GET /v2/a, a',
      '6: REST POST /v2/a, a',
      '8: REST GET /items/b, b',
      '11: REST GET /items/books/<int:id>, Book.get',
      '12: REST DELETE /items/books/<int:id>, Book.delete',
    ],
  },
  {
    title: 'Django: included modules, lists and routers; methods by decorators, classes and viewsets',
    files: {
      'shop/urls.py': `from django.urls import include, path, re_path
from shop import views
inner = [path("list/", views.List.as_view())]
urlpatterns = [
    path("", views.index),
    path("api/", include("shop.api.urls")),
    path("inner/", include(inner)),
    re_path(r"^old/(?P<id>\\d+)/$", views.old),
    path("plain/", "not a view"),
    path("new/", include("shop.sdk.urls")),
    path("stock/", views.stock),
]
`,
      // Two modules have a view of one name.
      'shop/sdk/urls.py':
        'from django.urls import path\nfrom shop.sdk.apis import Login\nurlpatterns = [path("login/", Login.as_view())]\n',
      'shop/sdk/apis.py':
        'class Public(APIView): ...\nclass Login(Public):\n    def get(self, request): ...\n',
      'shop/raw/apis.py':
        'class Public(APIView): ...\nclass Login(Public):\n    def post(self, request): ...\n',
      'shop/views.py': `from django.views.generic import ListView
from django.views.decorators.http import require_POST
def index(request): ...
@require_POST
def old(request, id): ...
class List(ListView): ...
@require_setting("GET_STOCK")
@cors("GET", "POST")
def stock(request): ...
`,
      'shop/api/urls.py': `from rest_framework.routers import DefaultRouter
from django.urls import include, path
from .viewsets import Books
router = DefaultRouter()
router.register("books", Books)
urlpatterns = [path("v1/", include(router.urls))]
`,
      'shop/api/viewsets.py': `from rest_framework import viewsets
class Books(viewsets.ReadOnlyModelViewSet):
    @action(detail=True, methods=["post"])
    def lend(self, request, pk): ...
`,
    },
    rows: [
      '5: REST ANY /, views.index',
      '5: REST GET /api/v1/books, Books.list',
      '5: REST GET /api/v1/books/{pk}, Books.retrieve',
      '5: REST POST /api/v1/books/{pk}/lend, Books.lend',
      '3: REST GET /inner/list/, views.List',
      '8: REST POST /old/{id}/, views.old',
      '3: REST GET /new/login/, Login',
      '11: REST GET /stock/, views.stock',
      '11: REST POST /stock/, views.stock',
    ],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  const found = await inboundRows(files)
  expect([...found].sort()).toEqual([...rows].sort())
})

it('ends on names that are assigned from each other, and on functions that return each other', async () => {
  const names = Array.from({ length: 200 }, (_, at) => `    a${at % 7} = a${(at * 3 + 1) % 7}`).join('\n')
  const calls = Array.from({ length: 200 }, (_, at) => `    a${at % 7}.get(a${at % 5})`).join('\n')
  const files = {
    'a.py': `import requests\ndef f():\n    return g()\ndef g():\n    return f()\ndef run():\n${names}\n    f().get(g())\n${calls}\n`,
  }
  expect(await inboundRows(files)).toEqual([])
})
