import type { Option } from '../../cli/command/command.ts'
import { SETTINGS, type Setting } from './settings.ts'

/** Every setting in the group of what uses it. The help of a command lists the groups that the command names. */
const SETTING_KEYS = {
  repository: ['root', 'gitFolders', 'stateDir', 'readOnly'],
  tools: ['toolsets', 'tools', 'excludeTools', 'toolAccess', 'outputSchemas', 'toolNames', 'dialect'],
  http: ['host', 'port', 'token', 'readToken', 'issuer', 'allowedHosts', 'allowedOrigins'],
  store: ['store', 'clock'],
  beliefs: ['graph', 'wire', 'revealTopology', 'allowCycles', 'snapshotEvery'],
  gate: ['profile', 'sdd', 'policyFrom', 'protectedBranches', 'openspec'],
  receipts: ['signingKey', 'signer'],
  preflight: ['check', 'requireReceipt'],
  packets: [
    'packetRoot',
    'registry',
    'registries',
    'allowedRegistries',
    'maxPacketBytes',
    'embedder',
    'embeddingUrl',
    'embeddingModel',
    'embeddingKey',
  ],
  project: ['exportRoot', 'deny', 'denyHardlinks', 'oneFileSystem', 'extensions'],
  logging: ['logLevel', 'logFormat'],
  limits: [
    'limits.lineBytes',
    'limits.bodyBytes',
    'limits.answerBytes',
    'limits.callMs',
    'limits.drainMs',
    'limits.headersMs',
    'limits.requestMs',
  ],
} as const

export type SettingGroup = keyof typeof SETTING_KEYS

const GROUP_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(SETTING_KEYS).flatMap(([group, keys]) => keys.map((key) => [key, group] as const)),
)

const VALUE_NAMES: Readonly<Record<Setting['kind'], string>> = {
  text: 'TEXT',
  number: 'N',
  switch: '',
  list: 'A,B',
}

const asOption = ({ key, flag, kind, description, choices }: Setting): Option => ({
  flag,
  kind: kind === 'switch' ? 'switch' : 'text',
  value: VALUE_NAMES[kind],
  description,
  choices,
  group: GROUP_OF.get(key) ?? 'other',
})

const CONFIG_OPTION: Option = {
  flag: 'config',
  kind: 'text',
  value: 'FILE',
  description: 'Settings file, instead of warrant.json in the current folder.',
}

/** Every setting as an option, and `--config`. */
export const configOptions = (): readonly Option[] => [CONFIG_OPTION, ...SETTINGS.map(asOption)]
