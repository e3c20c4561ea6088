interface RuleWords {
  readonly fact: string
  readonly advice: string
}

/** Every sentence of a report. `{…}` is filled in. */
export const EN = {
  generated: 'Generated',
  root: 'Root',
  version: 'Version',
  hash: 'SHA-256 of {file}',
  summary: 'Executive summary',
  dependencies: 'Dependencies',
  libraries: 'Libraries',
  relations: 'Service relations',
  entries: 'Entry points',
  diagram: 'Architecture diagram',
  suggestions: 'Refactoring suggestions',
  libraryHead: ['Module', 'GroupId', 'ArtifactId', 'Version'],
  relationHead: ['Source', 'Type', 'Target', 'Call type'],
  entryHead: ['Protocol', 'Endpoint', 'Handler', 'Source'],
  size: 'Complexity and size',
  coupling: 'Coupling and cohesion',
  smells: 'Code smells and risks',
  none: 'None was found.',
  more: '{n} more are left out here.',
  cutDiagram: '{nodes} boxes and {edges} arrows are left out: the diagram shows the most connected part.',
  legend: 'Names that do not fit into their boxes',
  legendHead: ['Box', 'Name', 'Source'],
  impact: 'Expected impact',
  kinds: { hexagonal: 'hexagonal', layered: 'layered', modular: 'modular', plain: 'plain' },
  kindLine: 'Architecture: {kind}, built with {tool}{stack}.',
  boot: ', Spring Boot {version}',
  java: ', Java {version}',
  modulesLine:
    'Modules: {modules}; classes: {classes}; packages: {packages}; deployable applications: {services}.',
  rolesLine:
    'Components: controllers {controllers}, services {servicesCount}, repositories {repositories}, declared clients {clients}.',
  trafficLine:
    'Entry points: {inbound}{protocols}; outgoing connections: {outbound}, to different targets: {targets}.',
  riskLine: 'Main risks: {counts}; the gravest: {first}',
  calmLine: 'Main risks: nothing above the lowest severities was measured.',
  secretLine: 'Secrets in plain text: {n}. They are masked in this report and belong in a vault.',
  warningLine: 'Warnings while reading: {n}; the first: {first}',
  severities: { critical: 'critical', high: 'high', medium: 'medium', low: 'low', info: 'info' },
  rules: {
    long_class: { fact: 'the class has {value} lines', advice: 'Split it by responsibility.' },
    long_method: { fact: 'the method has {value} lines', advice: 'Extract the steps it consists of.' },
    many_parameters: {
      fact: 'the constructor takes {value} parameters',
      advice: 'Group what belongs together, or split the class.',
    },
    duplicate: {
      fact: '{value} methods have the same body',
      advice: 'Keep one of them and let the others call it.',
    },
    field_injection: {
      fact: '{value} fields are injected',
      advice: 'Inject through the constructor, so that the class can be built in a test.',
    },
    domain_framework: {
      fact: 'the domain imports {value} names of frameworks or infrastructure',
      advice: 'Put a port between them and keep the domain free.',
    },
    skips_service: {
      fact: 'a controller uses a repository directly',
      advice: 'Let a service stand between them.',
    },
    cycle: {
      fact: '{value} types depend on one another in a circle',
      advice: 'Break the circle with an interface or an event.',
    },
    silent_catch: { fact: 'an exception is caught and dropped', advice: 'Handle it, or let it pass.' },
    print_stack: { fact: 'a stack trace is printed', advice: 'Log it.' },
    raw_thread: { fact: 'a thread is started by hand', advice: 'Use an executor, or virtual threads.' },
    no_resilience: {
      fact: 'calls to others have no circuit breaker, retry or timeout',
      advice: 'Add one where the call leaves the process.',
    },
    no_advice: {
      fact: '{value} controllers, and no common handling of exceptions',
      advice: 'Add a controller advice.',
    },
    many_values: {
      fact: '{value} single values are injected, and no class of properties',
      advice: 'Bind them to one validated class.',
    },
    untested: {
      fact: '{value} controllers and services have no test of their name',
      advice: 'Begin with this one.',
    },
    old_java: { fact: 'the build asks for Java {value}', advice: 'Move to 21.' },
    old_boot: {
      fact: 'Spring Boot {value} is no longer maintained',
      advice: 'Move to the present major version.',
    },
    secret: {
      fact: 'a secret is written into the file',
      advice: 'Revoke it and read it from a vault or the environment.',
    },
  } as Readonly<Record<string, RuleWords>>,
  places: {} as Readonly<Record<string, string>>,
  impacts: {
    readability: 'readability',
    maintainability: 'maintainability',
    testability: 'testability',
    reliability: 'reliability',
    security: 'security',
  },
}

export type ReportStrings = typeof EN
