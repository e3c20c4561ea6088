import { pushTo } from '../../kernel/multimap.ts'
import type { ConfigEntry, Configuration } from '../source/configuration.ts'
import { folderOf, nameOf } from '../source/source-files.ts'
import { isTemplatePath } from '../source/text-resolver.ts'
import { composeContainers, isComposeFile } from './compose-files.ts'
import type { DeclaredContainer } from './declared-container.ts'
import { kubernetesContainers } from './kubernetes-manifests.ts'
import { technologyOfImage } from './technologies.ts'

type FileEntries = readonly (readonly [string, readonly ConfigEntry[]])[]

const CHART_FOLDER = /^(?:(.*)\/)?(?:templates\/.*|Chart\.ya?ml|values[\w.-]*\.ya?ml)$/

/** The chart of a template; charts inside of `charts/` are parts of their own. */
const chartOf = (file: string): string => CHART_FOLDER.exec(file)?.[1] ?? ''

const MAX_FILLS = 4
/** Values may be made of each other. */
const MAX_VALUE = 4_000

/** Fills `${.Values.a.b}` with the values of the chart. */
const fillValues = (text: string, values: ReadonlyMap<string, string>, chart: string): string => {
  let filled = text
  for (let round = 0; round < MAX_FILLS && filled.length < MAX_VALUE && filled.includes('${.'); round += 1)
    filled = filled.replace(/\$\{\.(Chart\.Name|Values\.([\w.-]+))\}/g, (whole, _, key?: string) =>
      key === undefined ? chart : (values.get(key)?.slice(0, MAX_VALUE) ?? whole),
    )
  // Parts that are known only at installation, such as a tag.
  return filled.replace(/[:-]*\$\{\.[^}]*\}$/, '')
}

/** Charts that this one installs with it: databases and brokers. */
const dependencyContainers = (
  entries: readonly ConfigEntry[],
  group: string,
  chart: string,
): readonly DeclaredContainer[] =>
  entries.flatMap(({ key, value, file, line }) => {
    if (!/^dependencies\[\d+\]\.name$/.test(key) || technologyOfImage(value) === undefined) return []
    return [
      {
        name: value,
        file,
        line,
        group,
        isCompose: false,
        isJob: false,
        image: value,
        hosts: [`${chart}-${value}`, `${chart}-${value}-master`, `${chart}-${value}-primary`],
        ports: [],
        dependsOn: [],
        environment: new Map(),
        shared: new Map(),
        values: [],
        isRouted: false,
        mounts: [],
      },
    ]
  })

/** The containers of Helm charts, as far as their templates are plain YAML with values filled in. */
const chartContainers = (files: FileEntries): readonly DeclaredContainer[] => {
  const byName = new Map(files)
  const charts = files.flatMap(([file]) => (/^Chart\.ya?ml$/.test(nameOf(file)) ? [folderOf(file)] : []))
  return charts.flatMap((folder) => {
    const at = (name: string) => byName.get(folder === '' ? name : `${folder}/${name}`)
    const about = at('Chart.yaml') ?? at('Chart.yml') ?? []
    const chart = about.find(({ key }) => key === 'name')?.value ?? nameOf(folder)
    const values = new Map(
      (at('values.yaml') ?? at('values.yml') ?? []).map(({ key, value }) => [key, value]),
    )
    const templates = files
      .filter(([file]) => file.includes('templates/') && chartOf(file) === folder)
      .map(
        ([file, entries]) =>
          [file, entries.map((one) => ({ ...one, value: fillValues(one.value, values, chart) }))] as const,
      )
    return [
      ...kubernetesContainers(templates, () => folder).filter(({ name }) => !name.includes('${')),
      ...dependencyContainers(about, folder, chart),
    ]
  })
}

/** Containers in compose files and Kubernetes manifests, in the order of their files. */
export const declaredContainers = (configuration: Configuration): readonly DeclaredContainer[] => {
  const byFile = new Map<string, ConfigEntry[]>()
  for (const one of configuration.settings) pushTo(byFile, one.file, one)
  const manifests = [...byFile].filter(
    ([file, entries]) =>
      !isComposeFile(file) && !isTemplatePath(file) && entries.some(({ key }) => key === 'apiVersion'),
  )
  return [
    ...composeContainers(byFile, configuration.variables),
    ...kubernetesContainers(manifests),
    ...chartContainers([...byFile]),
  ]
}
