import { joinRoutes } from '../../connections/addresses.ts'
import type { Inbound } from '../../connections/connections.ts'
import type { DetectionContext, Framework } from '../../connections/framework.ts'
import { toInbound } from '../../connections/inbound-web.ts'
import { findAnnotation, type TypeUnit } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

const VERBS: Readonly<Record<string, string>> = {
  Get: 'GET',
  Post: 'POST',
  Put: 'PUT',
  Patch: 'PATCH',
  Delete: 'DELETE',
  Head: 'HEAD',
  Options: 'OPTIONS',
  All: 'ANY',
}

const EVENTS: Readonly<Record<string, string>> = {
  MessagePattern: 'Messaging-Nest',
  EventPattern: 'Messaging-Nest',
  Cron: 'Scheduled',
  Interval: 'Scheduled',
  GrpcMethod: 'gRPC',
}

const controllerEndpoints = (
  type: TypeUnit,
  scope: TypeScope,
  { resolver }: DetectionContext,
): readonly Inbound[] => {
  const above = findAnnotation(type.annotations, 'Controller')
  if (above === undefined) return []
  const prefix = resolver.text(above.args.get('value') ?? above.args.get('path'), scope)?.text ?? ''
  return type.methods.flatMap((method) =>
    method.annotations.flatMap((annotation) => {
      const verb = Object.hasOwn(VERBS, annotation.name) ? VERBS[annotation.name] : undefined
      if (verb === undefined) return []
      const given = annotation.args.get('value') ?? annotation.args.get('path')
      const texts =
        given === undefined ? [{ text: '', confidence: 'high' as const }] : resolver.texts(given, scope)
      return texts.map(({ text, confidence }) =>
        toInbound(
          { method: verb, path: joinRoutes(prefix, text), confidence },
          { file: scope.unit.file, line: method.line, handler: `${type.name}.${method.name}` },
        ),
      )
    }),
  )
}

const eventEndpoints = (
  type: TypeUnit,
  scope: TypeScope,
  { resolver }: DetectionContext,
): readonly Inbound[] =>
  type.methods.flatMap((method) =>
    method.annotations.flatMap((annotation) => {
      const protocol = Object.hasOwn(EVENTS, annotation.name) ? EVENTS[annotation.name] : undefined
      if (protocol === undefined) return []
      const pattern = resolver.text(annotation.args.get('value') ?? annotation.args.get('cmd'), scope)
      const handler = `${type.name}.${method.name}`
      return [
        {
          protocol,
          endpoint: pattern?.text ?? handler,
          source_file: scope.unit.file,
          line: method.line,
          handler,
          confidence: pattern?.confidence ?? 'medium',
        },
      ]
    }),
  )

export const NEST: Framework = {
  name: 'NestJS',
  language: 'script',
  // Decorators may be imported from a package of the project that exports those of Nest.
  applies: ({ types }) => types.length > 0,
  inbound: (scope, context) =>
    scope.unit.types.flatMap((type) => {
      const inside = scope.at(scope.unit, type, scope.unit.topLevel)
      return [...controllerEndpoints(type, inside, context), ...eventEndpoints(type, inside, context)]
    }),
}
