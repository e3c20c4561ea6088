import { findAnnotation, type Method, type SourceUnit, type TypeUnit } from '../source/source-unit.ts'
import { servedGrpcService } from './proto.ts'
import { isRepository } from './repository-kinds.ts'

const ROLES = [
  'Application Root',
  'Controller',
  'Service',
  'Repository',
  'Client',
  'Component',
  'Advice',
  'Configuration',
  'Entity',
] as const
export type Role = (typeof ROLES)[number]

const BY_ANNOTATION: Readonly<Record<string, Role>> = {
  SpringBootApplication: 'Application Root',
  QuarkusMain: 'Application Root',
  HiltAndroidApp: 'Application Root',
  Module: 'Application Root',
  RestController: 'Controller',
  Controller: 'Controller',
  Path: 'Controller',
  GrpcService: 'Controller',
  GRpcService: 'Controller',
  Service: 'Service',
  ApplicationScoped: 'Service',
  Injectable: 'Service',
  Repository: 'Repository',
  Dao: 'Repository',
  HiltViewModel: 'Component',
  AndroidEntryPoint: 'Component',
  HiltWorker: 'Component',
  FeignClient: 'Client',
  RegisterRestClient: 'Client',
  Component: 'Component',
  RestControllerAdvice: 'Advice',
  ControllerAdvice: 'Advice',
  Configuration: 'Configuration',
  Entity: 'Entity',
  Document: 'Entity',
}

/** The roles of a type by its annotations and base types, in the order of `ROLES`. */
export const rolesOf = (type: TypeUnit, unit: SourceUnit): readonly Role[] => {
  const found = new Set<Role>()
  for (const { name } of type.annotations) {
    const role = Object.hasOwn(BY_ANNOTATION, name) ? BY_ANNOTATION[name] : undefined
    // `@Module` is also used by other frameworks.
    if (role !== undefined && (name !== 'Module' || unit.imports.some((one) => one.startsWith('@nestjs/'))))
      found.add(role)
  }
  if (isRepository(type, unit)) found.add('Repository')
  if (found.size === 0 && servedGrpcService(type, unit) !== undefined) found.add('Controller')
  // Dagger, Hilt and CDI: a constructor that is marked for injection needs no annotation on its type.
  if (found.size === 0 && type.constructors.some(isInjected)) found.add('Component')
  return ROLES.filter((role) => found.has(role))
}

const isInjected = ({ annotations }: Method): boolean =>
  findAnnotation(annotations, 'Inject', 'AssistedInject') !== undefined

const INJECTION_ANNOTATIONS = ['Autowired', 'Inject', 'Resource', 'GrpcClient', 'PersistenceContext']

interface Injection {
  readonly type: string
  readonly line: number
  readonly by: 'constructor' | 'field' | 'setter'
}

/** Types injected into a type: by its constructor (Lombok's included), annotated fields or setters. */
export const injectionsOf = (type: TypeUnit, roles: readonly Role[]): readonly Injection[] => {
  const fields = type.fields.filter(
    ({ annotations }) => findAnnotation(annotations, ...INJECTION_ANNOTATIONS) !== undefined,
  )
  const lombok =
    findAnnotation(type.annotations, 'RequiredArgsConstructor', 'AllArgsConstructor') !== undefined
  const generated = lombok
    ? type.fields.filter(({ value, type: named }) => value === undefined && named !== '')
    : []
  const setters = type.methods.filter(
    ({ annotations }) => findAnnotation(annotations, ...INJECTION_ANNOTATIONS) !== undefined,
  )
  const built = roles.length > 0 ? type.constructors.flatMap(({ parameters }) => parameters) : []
  const all: Injection[] = [
    ...[...built, ...generated].map((one) => ({
      type: one.type,
      line: one.line,
      by: 'constructor' as const,
    })),
    ...fields.map((one) => ({ type: one.type, line: one.line, by: 'field' as const })),
    ...setters.flatMap(({ parameters }) =>
      parameters.map((one) => ({ type: one.type, line: one.line, by: 'setter' as const })),
    ),
  ]
  const seen = new Set<string>()
  return all.filter((one) => one.type !== '' && !seen.has(one.type) && seen.add(one.type))
}
