import type { FrameworkSnippets } from './snippet-corpus.ts'

const PROTO = `syntax = "proto3";
package shop.v1;
service Cart {
  rpc Add(Item) returns (Empty);
  rpc Get(User) returns (Items);
}`

export const PYTHON_GRPC_SNIPPETS: FrameworkSnippets = {
  framework: 'gRPC (grpcio)',
  language: 'Python',
  finds: ['endpoints', 'calls'],
  found: [
    {
      title: 'a server whose service is in a proto file',
      files: {
        'protos/cart.proto': PROTO,
        'server.py': `import grpc
import cart_pb2_grpc
def serve():
    server = grpc.server(pool)
    cart_pb2_grpc.add_CartServicer_to_server(CartService(), server)`,
      },
      rows: ['in 5: gRPC shop.v1.Cart/Add, CartService', 'in 5: gRPC shop.v1.Cart/Get, CartService'],
    },
    {
      title: 'a stub, also as an attribute',
      files: {
        'protos/cart.proto': PROTO,
        'client.py': `import grpc
from generated.cart_pb2_grpc import CartStub
class Client:
    def __init__(self):
        self.stub = CartStub(grpc.insecure_channel("cart:8080"))`,
      },
      rows: ['out 5: gRPC Stub -> shop.v1.Cart, Client'],
    },
    {
      title: 'a server without its proto file',
      files: {
        'server.py': `import grpc
from protos import mail_pb2_grpc as mail
mail.add_MailServicer_to_server(service, server)`,
      },
      rows: ['in 3: gRPC Mail, service [medium]'],
    },
  ],
  notFound: [
    {
      title: 'a stub of tests, without gRPC',
      files: {
        'protos/cart.proto': PROTO,
        'a.py': `from doubles import CartStub
cart = CartStub("cart")`,
      },
    },
  ],
}
