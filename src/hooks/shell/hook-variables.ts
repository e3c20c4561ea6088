import { isKnown, type ShellField } from './shell-scope.ts'

/** Whether the value of a variable makes it count. */
type ValueTest = (value: string) => boolean

const isOff: ValueTest = (value) => /^(?:0|false|no|off|)$/i.test(value)
const isSet: ValueTest = (value) => value !== ''
const isOn: ValueTest = (value) => !isOff(value)

/** Variables under which hooks do not run, or not all of them, or with another configuration. */
const SKIPPING: readonly (readonly [name: RegExp, counts: ValueTest])[] = [
  [/^HUSKY$/, isOff],
  [/^HUSKY_SKIP_HOOKS$/, isOn],
  [/^LEFTHOOK$/, isOff],
  [/^LEFTHOOK_(?:EXCLUDE|BIN|CONFIG)$/, isSet],
  [/^SKIP$/, isSet],
  [/^(?:PRE_COMMIT_ALLOW_NO_CONFIG|OVERCOMMIT_DISABLE|SKIP_SIMPLE_GIT_HOOKS)$/, isOn],
  [/^GIT_CONFIG(?:_COUNT|_KEY_\d+|_VALUE_\d+|_PARAMETERS|_GLOBAL|_SYSTEM)?$/, isSet],
  [/^GIT_(?:DIR|COMMON_DIR|EXEC_PATH|INDEX_FILE|TEMPLATE_DIR)$/, isSet],
  [/^(?:HOME|XDG_CONFIG_HOME|XDG_STATE_HOME)$/, isSet],
  [/^PUMUKI_SDD_BYPASS$/, isOn],
  [/^PUMUKI_HARD_MODE$/, isOff],
  [/^WARRANT_\w+$/, isSet],
]

/** A variable that takes effect in hooks; undefined where there is none. */
export const findSkippingVariable = (environment: ReadonlyMap<string, ShellField>): string | undefined =>
  [...environment].find(([name, field]) =>
    SKIPPING.some(([pattern, counts]) => pattern.test(name) && (!isKnown(field) || counts(field.text))),
  )?.[0]

/** Variables that mean hooks alone, so that they matter for every program that may run git. */
const ONLY_HOOKS =
  /^(?:HUSKY|HUSKY_SKIP_HOOKS|LEFTHOOK|LEFTHOOK_EXCLUDE|OVERCOMMIT_DISABLE|SKIP_SIMPLE_GIT_HOOKS|GIT_CONFIG_(?:COUNT|KEY_\d+|PARAMETERS)|PUMUKI_SDD_BYPASS|PUMUKI_HARD_MODE)$/

export const findHookVariable = (environment: ReadonlyMap<string, ShellField>): string | undefined => {
  const named = new Map([...environment].filter(([name]) => ONLY_HOOKS.test(name)))
  return findSkippingVariable(named)
}
