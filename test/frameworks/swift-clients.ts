import type { FrameworkSnippets } from './snippet-corpus.ts'

const URL_SESSION: FrameworkSnippets = {
  framework: 'URLSession',
  language: 'Swift',
  finds: ['calls'],
  found: [
    {
      title: 'an address in the code',
      files: {
        'Weather.swift': `import Foundation
struct Weather {
    func load(city: String) async throws {
        let url = URL(string: "https://api.weather.dev/v1/\\(city)?units=metric")!
        let (data, _) = try await URLSession.shared.data(from: url)
    }
}`,
      },
      rows: ['out 5: REST URLSession GET -> https://api.weather.dev/v1/{city}, Weather [medium]'],
    },
    {
      title: 'a base address and a path, with the method of the request',
      files: {
        'Client.swift': `import Foundation
final class Client {
    private let baseURL = URL(string: "https://shop.dev/api")!
    func order() async throws {
        var request = URLRequest(url: baseURL.appendingPathComponent("orders"))
        request.httpMethod = "POST"
        let (data, _) = try await session.data(for: request)
    }
}`,
      },
      rows: ['out 5: REST URLSession POST -> https://shop.dev/api/orders, Client'],
    },
    {
      title: 'a constant of another type',
      files: {
        'API.swift': `import Foundation
enum API { static let base = "https://users.dev" }`,
        'Users.swift': `import Foundation
class Users {
    func load() {
        URLSession.shared.dataTask(with: URL(string: API.base + "/users")!) { data, _, _ in }.resume()
    }
}`,
      },
      rows: ['out 4: REST URLSession GET -> https://users.dev/users, Users'],
    },
  ],
  notFound: [
    {
      title: 'links that a person opens, and addresses that are known only at run time',
      files: {
        'Links.swift': `import SwiftUI
struct Links {
    let privacy = URL(string: "https://shop.dev/privacy")!
    func open(url: URL) { openURL(privacy); let r = URLRequest(url: url) }
}`,
      },
    },
  ],
}

const ALAMOFIRE: FrameworkSnippets = {
  framework: 'Alamofire',
  language: 'Swift',
  finds: ['calls'],
  found: [
    {
      title: 'a request',
      files: {
        'a.swift': `import Alamofire
func load() { AF.request("https://httpbin.dev/get").response { r in } }`,
      },
      rows: ['out 2: REST Alamofire GET -> https://httpbin.dev/get, load'],
    },
    {
      title: 'a method, and an address of two parts',
      files: {
        'a.swift': `import Alamofire
class Login {
    let host = "https://id.dev"
    func send() { AF.request(host + "/token", method: .post, parameters: body) }
}`,
      },
      rows: ['out 4: REST Alamofire POST -> https://id.dev/token, Login'],
    },
    {
      title: 'an upload of a session',
      files: {
        'a.swift': `import Alamofire
class Files {
    func send(id: Int) { session.upload(data, to: url); session.download("https://files.dev/\\(id)") }
}`,
      },
      rows: ['out 3: REST Alamofire GET -> https://files.dev/{id}, Files [medium]'],
    },
  ],
  notFound: [
    {
      title: 'requests of other objects',
      files: {
        'a.swift': `import Alamofire
func use() { permission.request("https://x.dev"); AF.request(router) }`,
      },
    },
  ],
}

export const SWIFT_CLIENTS: readonly FrameworkSnippets[] = [URL_SESSION, ALAMOFIRE]
