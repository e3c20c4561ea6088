import type { FrameworkSnippets } from './snippet-corpus.ts'

const FASTAPI: FrameworkSnippets = {
  framework: 'FastAPI',
  language: 'Python',
  finds: ['endpoints'],
  found: [
    {
      title: 'routers of other files, a prefix of a settings object',
      files: {
        'app/main.py': `from fastapi import FastAPI
from app.core.config import settings
from app.api import router
app = FastAPI()
app.include_router(router, prefix=settings.API)
@app.get("/health")
async def health(): ...`,
        'app/core/config.py': `class Settings(BaseSettings):
    API: str = "/api/v1"
settings = Settings()`,
        'app/api/__init__.py': `from fastapi import APIRouter
from . import users
router = APIRouter()
router.include_router(users.router)`,
        'app/api/users.py': `from fastapi import APIRouter
router = APIRouter(prefix="/users")
@router.get("/", response_model=Users)
def read_users(): ...
@router.api_route("/{id}", methods=["GET", "HEAD"])
def read_user(id: int): ...`,
      },
      rows: [
        'in 3: REST GET /api/v1/users, read_users',
        'in 5: REST GET /api/v1/users/{id}, read_user',
        'in 5: REST HEAD /api/v1/users/{id}, read_user',
        'in 6: REST GET /health, health',
      ],
    },
    {
      title: 'an application inside another, a subclass of the router, a route added by a call',
      files: {
        'main.py': `from fastapi import APIRouter, FastAPI
class AdminRouter(APIRouter): ...
router = AdminRouter(prefix="/jobs")
app = FastAPI()
admin = FastAPI()
@router.post("")
def start(): ...
admin.include_router(router=router)
admin.add_api_route("/stop", endpoint=start, methods=["PUT"])
app.mount("/admin", admin)`,
      },
      rows: ['in 6: REST POST /admin/jobs, start', 'in 9: REST PUT /admin/stop, start'],
    },
    {
      title:
        'routes inside of a function that makes the application, a socket, a class of routers of its own',
      files: {
        'routers.py': `from fastapi import APIRouter
class UserRouter(APIRouter): ...`,
        'items.py': `from routers import UserRouter
router = UserRouter(prefix="/items")
class Items:
    @router.get("")
    def read(self): ...`,
        'main.py': `from fastapi import FastAPI
def create_app():
    app = FastAPI()
    @app.delete("/cache")
    def clear(): ...
    @app.websocket("/events")
    async def events(socket): ...
    return app`,
      },
      rows: [
        'in 4: REST GET /items, Items.read',
        'in 4: REST DELETE /cache, clear',
        'in 6: REST WS /events, events',
      ],
    },
  ],
  notFound: [
    {
      title: 'a router that nothing imports, beside one that is',
      files: {
        'app/main.py': `from fastapi import FastAPI
from app.routers import users
app = FastAPI()
app.include_router(users.router)`,
        'app/routers/users.py': 'from fastapi import APIRouter\nrouter = APIRouter()\n',
        'app/routers/old_users.py': `from fastapi import APIRouter
router = APIRouter()
@router.get("/old")
def old(): ...`,
      },
    },
    {
      title: 'decorators of other objects',
      files: {
        'a.py': `from fastapi import Depends
@cache.get("/not-a-route")
def one(): ...
@registry.post("/neither")
def two(): ...`,
      },
    },
  ],
}

const FLASK: FrameworkSnippets = {
  framework: 'Flask',
  language: 'Python',
  finds: ['endpoints'],
  found: [
    {
      title: 'blueprints, and a mount that replaces their prefix',
      files: {
        'app.py': `from flask import Flask
from views import bp, items
def create_app():
    app = Flask(__name__)
    app.register_blueprint(bp, url_prefix="/v2")
    app.register_blueprint(items)
    return app`,
        'views.py': `from flask import Blueprint
bp = Blueprint("bp", __name__, url_prefix="/v1")
items = Blueprint("items", __name__, url_prefix="/items")
@bp.route("/a", methods=["GET", "POST"])
def a(): ...
@items.get("/b")
def b(): ...`,
      },
      rows: ['in 4: REST GET /v2/a, a', 'in 4: REST POST /v2/a, a', 'in 6: REST GET /items/b, b'],
    },
    {
      title: 'rules added by a call, views as classes',
      files: {
        'app.py': `from flask import Flask
from flask.views import MethodView
app = Flask(__name__)
class Users(MethodView):
    def get(self): ...
    def post(self): ...
    def helper(self): ...
app.add_url_rule("/users", view_func=Users.as_view("users"))
app.add_url_rule("/ping", view_func=ping, methods=["POST"])`,
      },
      rows: [
        'in 5: REST GET /users, Users.get',
        'in 6: REST POST /users, Users.post',
        'in 9: REST POST /ping, ping',
      ],
    },
    {
      title: 'Flask-RESTful and Flask-RESTX: resources of a blueprint, namespaces',
      files: {
        'a.py': `from flask import Blueprint
from flask_restful import Api, Resource
bp = Blueprint("a", __name__, url_prefix="/a")
api = Api(bp)
class Book(Resource):
    def get(self): ...
api.add_resource(Book, "/books/<int:id>")`,
        'b.py': `from flask import Flask
from flask_restx import Api, Namespace, Resource
api = Api(Flask(__name__), prefix="/api")
ns = Namespace("cats")
@ns.route("/<id>")
class Cat(Resource):
    def delete(self, id): ...
api.add_namespace(ns)`,
      },
      rows: ['in 6: REST GET /a/books/<int:id>, Book.get', 'in 7: REST DELETE /api/cats/<id>, Cat.delete'],
    },
  ],
  notFound: [
    {
      title: 'a decorator of the same name on another object, and a comment',
      files: {
        'a.py': `import flask
# @app.route("/commented")
@planner.route("/north")
def north(): ...`,
      },
    },
  ],
}

const STARLETTE: FrameworkSnippets = {
  framework: 'Starlette',
  language: 'Python',
  finds: ['endpoints'],
  found: [
    {
      title: 'a list of routes, methods of an endpoint class',
      files: {
        'a.py': `from starlette.applications import Starlette
from starlette.routing import Route
class Home(HTTPEndpoint):
    async def get(self, request): ...
    async def post(self, request): ...
app = Starlette(routes=[Route("/", Home), Route("/login", login, methods=["POST"])])`,
      },
      rows: ['in 6: REST GET /, Home', 'in 6: REST POST /, Home', 'in 6: REST POST /login, login'],
    },
    {
      title: 'mounted lists of another file',
      files: {
        'a/app.py': `from starlette.routing import Mount
from a.api import api_routes
routes = [Mount("/api", routes=api_routes)]`,
        'a/api.py': `from starlette.routing import Route
api_routes = [Route("/users/{id:int}", user)]`,
      },
      rows: ['in 2: REST GET /api/users/{id:int}, user'],
    },
    {
      title: 'sockets and a mount with its own list',
      files: {
        'a.py': `from starlette.routing import Mount, WebSocketRoute
routes = [Mount("/live", routes=[WebSocketRoute("/ws", feed)])]`,
      },
      rows: ['in 2: REST WS /live/ws, feed'],
    },
  ],
  notFound: [
    {
      title: 'a class of the project that is called Route',
      files: {
        'a.py': `from maps import Route
from starlette.responses import Response
routes = [Route("/north", "/south")]`,
      },
    },
  ],
}

export const PYTHON_ENDPOINT_SNIPPETS: readonly FrameworkSnippets[] = [FASTAPI, FLASK, STARLETTE]
