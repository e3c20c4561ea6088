import { pushTo } from '../../../kernel/multimap.ts'
import { joinRoutes } from '../../connections/addresses.ts'
import type { DetectionContext } from '../../connections/framework.ts'
import { isImportedNowhere } from '../../source/imported-files.ts'
import type { SourceIndex } from '../../source/source-index.ts'
import { type Expression, findAnnotation, type SourceUnit } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

/** Prefixes that `RouterModule.register([{ path, module, children }])` gives to the controllers of modules. */

const MAX_DEPTH = 8
const PREFIXES = new WeakMap<SourceIndex, ReadonlyMap<string, readonly string[]>>()

const keyOf = (name: string, unit: SourceUnit, { modules }: DetectionContext): string => {
  const declared = modules.declaration(name, unit)
  return `${declared.unit.file}\0${declared.name}`
}

const itemsOf = (value: Expression | undefined): readonly Expression[] =>
  value?.kind === 'list' ? value.items : []

/** The list that a call gets, also by the name of a constant. */
const routeTree = (given: Expression | undefined, scope: TypeScope): readonly Expression[] => {
  if (given?.kind !== 'name') return itemsOf(given)
  return scope.variables(given.name).flatMap(({ value }) => itemsOf(value))
}

class ModulePrefixes {
  readonly #context: DetectionContext
  readonly #scope: TypeScope
  readonly #found: Map<string, string[]>

  constructor(scope: TypeScope, context: DetectionContext, found: Map<string, string[]>) {
    this.#scope = scope
    this.#context = context
    this.#found = found
  }

  add(items: readonly Expression[], prefix: string, depth = 0): void {
    if (depth > MAX_DEPTH) return
    for (const item of items) {
      const record = item.kind === 'record' ? item.entries : new Map<string, Expression>()
      const own = this.#context.resolver.text(record.get('path'), this.#scope)?.text ?? ''
      const path = joinRoutes(prefix, own)
      const module = item.kind === 'name' ? item : record.get('module')
      if (module?.kind === 'name')
        pushTo(this.#found, keyOf(module.name, this.#scope.unit, this.#context), path)
      this.add(itemsOf(record.get('children')), path, depth + 1)
    }
  }
}

const prefixesOf = (scope: TypeScope, context: DetectionContext): ReadonlyMap<string, readonly string[]> => {
  const { index } = scope
  const known = PREFIXES.get(index)
  if (known !== undefined) return known
  const modules = new Map<string, string[]>()
  const units = index.units.filter(({ language }) => language === 'script')
  for (const unit of units)
    for (const type of unit.types)
      for (const { name, receiver, args } of type.calls)
        if (name === 'register' && receiver?.kind === 'name' && receiver.name === 'RouterModule') {
          const there = scope.at(unit, undefined, unit.topLevel)
          new ModulePrefixes(there, context, modules).add(routeTree(args[0], there), '')
        }
  const controllers = new Map<string, string[]>()
  for (const unit of modules.size === 0 ? [] : units)
    for (const type of unit.types)
      for (const prefix of modules.get(`${unit.file}\0${type.name}`) ?? [])
        for (const one of itemsOf(findAnnotation(type.annotations, 'Module')?.args.get('controllers')))
          if (one.kind === 'name') pushTo(controllers, keyOf(one.name, unit, context), prefix)
  PREFIXES.set(index, controllers)
  return controllers
}

/** The prefixes of a controller; one empty text when its module has none. */
export const modulePrefixes = (
  controller: string,
  scope: TypeScope,
  context: DetectionContext,
): readonly string[] => prefixesOf(scope, context).get(`${scope.unit.file}\0${controller}`) ?? ['']

const REGISTERING = new WeakMap<SourceIndex, boolean>()

/** Whether modules of the project list their controllers. */
const registersControllers = (index: SourceIndex): boolean => {
  const known =
    REGISTERING.get(index) ??
    index.units.some(({ language, types }) =>
      types.some(
        ({ annotations }) =>
          language === 'script' &&
          itemsOf(findAnnotation(annotations, 'Module')?.args.get('controllers')).length > 0,
      ),
    )
  REGISTERING.set(index, known)
  return known
}

/** Whether the classes of a file are in no module: Nest serves only what a module lists. */
export const isUnregistered = ({ unit, index }: TypeScope, { modules }: DetectionContext): boolean =>
  unit.types.some(({ annotations }) => findAnnotation(annotations, 'Controller') !== undefined) &&
  !unit.types.some(({ annotations }) => findAnnotation(annotations, 'Module') !== undefined) &&
  unit.topLevel.calls.every(({ name }) => name !== 'create') &&
  registersControllers(index) &&
  isImportedNowhere(unit, index, modules)
