import { databaseOf } from '../../connections/addresses.ts'
import {
  type DetectionContext,
  type Framework,
  importsModule,
  type Outbound,
} from '../../connections/framework.ts'
import type { CallExpression } from '../../source/source-unit.ts'
import { isFixed } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { CLIENT_TARGETS, type ClientTarget } from '../client-targets.ts'
import { labelled, SwiftValues, swiftCalls, unlabelled } from './swift-values.ts'

/** Databases of Fluent, SwiftData, Core Data and GRDB. */

const FLUENT: Readonly<Record<string, ClientTarget>> = {
  postgres: CLIENT_TARGETS.POSTGRES,
  mysql: CLIENT_TARGETS.MYSQL,
  sqlite: CLIENT_TARGETS.SQLITE,
  mongo: CLIENT_TARGETS.MONGO,
  RedisConfiguration: CLIENT_TARGETS.REDIS,
}

const importsFluent = importsModule(/^(Fluent\w*|Vapor|Redis)$/)
// SwiftUI is often enough: another file of the module imports SwiftData.
const importsSwiftUi = importsModule(/^(SwiftData|SwiftUI)$/)
const importsCoreData = importsModule(/^CoreData$/)
const importsGrdb = importsModule(/^GRDB$/)

class StoreFinder {
  readonly #values: SwiftValues

  constructor({ resolver }: DetectionContext) {
    this.#values = new SwiftValues(resolver)
  }

  #row(
    call: CallExpression,
    scope: TypeScope,
    store: Pick<Outbound, 'target_service' | 'protocol' | 'type' | 'confidence' | 'origin'>,
  ): Outbound {
    return {
      ...store,
      source_file: scope.unit.file,
      line: call.line,
      caller: scope.type?.name ?? scope.method.name,
    }
  }

  /** `.postgres(hostname: …, database: …)`, `.postgres(url: …)`, `.sqlite(.file("db.sqlite"))` */
  fluent(call: CallExpression, scope: TypeScope): readonly Outbound[] {
    const database = Object.hasOwn(FLUENT, call.name) ? FLUENT[call.name] : undefined
    const hasOwner = call.receiver !== undefined
    if (database === undefined || call.args.length === 0) return []
    if (hasOwner && !(call.receiver.kind === 'name' && /ConfigurationFactory$/.test(call.receiver.name)))
      return []
    const given = this.#values.call(labelled(call, 'configuration'), scope) ?? call
    const address = this.#address(given, database, scope)
    const known = address !== undefined && isFixed(address.text)
    return [
      this.#row(call, scope, {
        target_service: known ? databaseOf(address.text) : database.technology,
        protocol: database.protocol,
        type: database.protocol === 'Redis' ? 'Redis' : 'Fluent',
        confidence: known ? (address.confidence === 'high' ? 'high' : 'medium') : 'low',
        ...(address !== undefined &&
          !known &&
          /\$\{/.test(address.text) && { origin: databaseOf(address.text) }),
      }),
    ]
  }

  #address(call: CallExpression, { scheme }: ClientTarget, scope: TypeScope) {
    const url = this.#values.text(labelled(call, 'url', 'connectionString'), scope)
    if (url !== undefined) return url
    if (scheme === 'sqlite') {
      const file = this.#values.call(unlabelled(call)[0], scope)
      const path = file?.name === 'file' ? this.#values.text(unlabelled(file)[0], scope) : undefined
      return path === undefined ? undefined : { ...path, text: `sqlite:${path.text}` }
    }
    const host = this.#values.text(labelled(call, 'hostname'), scope)
    if (host === undefined) return undefined
    const port = this.#values.text(labelled(call, 'port'), scope)?.text ?? ''
    const database = this.#values.text(labelled(call, 'database'), scope)?.text ?? ''
    const shownPort = /^\d+$/.test(port) ? `:${port}` : ''
    return {
      ...host,
      text: `${scheme}://${host.text}${shownPort}${isFixed(database) ? `/${database}` : ''}`,
    }
  }

  /** Stores of an application on a device. */
  local(call: CallExpression, scope: TypeScope): readonly Outbound[] {
    const { unit } = scope
    const high = { confidence: 'high' as const }
    if (importsSwiftUi(unit) && /^[mM]odelContainer$/.test(call.name) && labelled(call, 'for') !== undefined)
      return [
        this.#row(call, scope, {
          target_service: 'SwiftData',
          protocol: 'SwiftData',
          type: 'SwiftData',
          ...high,
        }),
      ]
    const name = labelled(call, 'name')
    if (importsCoreData(unit) && /^NSPersistent(CloudKit)?Container$/.test(call.name) && name !== undefined) {
      const known = this.#values.text(name, scope)
      return [
        this.#row(call, scope, {
          target_service: known !== undefined && isFixed(known.text) ? known.text : 'Core Data',
          protocol: 'Core Data',
          type: 'Core Data',
          ...high,
        }),
      ]
    }
    return importsGrdb(unit) && /^Database(Queue|Pool)$/.test(call.name)
      ? [this.#row(call, scope, { target_service: 'SQLite', protocol: 'SQL', type: 'GRDB', ...high })]
      : []
  }
}

export const SWIFT_STORES: Framework = {
  name: 'Fluent, SwiftData, Core Data, GRDB',
  language: 'swift',
  applies: (unit) =>
    importsFluent(unit) || importsSwiftUi(unit) || importsCoreData(unit) || importsGrdb(unit),
  outbound: (scope, context) => {
    const finder = new StoreFinder(context)
    return swiftCalls(scope).flatMap(({ call, scope: inside }) => [
      ...(importsFluent(scope.unit) ? finder.fluent(call, inside) : []),
      ...finder.local(call, inside),
    ])
  },
}
