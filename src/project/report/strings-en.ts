interface RuleSentences {
  readonly fact: string
  readonly advice: string
}

/** All texts of a report. `{…}` is filled in. */
export const EN = {
  generated: 'Generated',
  root: 'Root',
  version: 'Version',
  hash: 'SHA-256 of {file}',
  lookedAt: 'What was looked at',
  coverageHead: ['Language', 'Files', 'Read', 'Not read'],
  skipReasons: {
    test: 'tests {n}',
    generated: 'generated {n}',
    'too large': 'larger than 1 MiB {n}',
    unreadable: 'not readable as text {n}',
    limit: 'over the limit of bytes {n}',
    unparsed: 'not parsable {n}',
    'no grammar': 'grammar not installed {n}',
  },
  unreadLine: 'Not looked at, because there is no reader for the language: {list}.',
  recognizedLine: 'Frameworks and libraries recognized: {list}.',
  unrecognizedLine: 'Not recognized, so that their endpoints and connections are missing here: {list}.',
  limitLine: 'Not everything was looked at: {message}.',
  inFiles: '{name} ({n} files)',
  inFile: '{name} (1 file)',
  usedInFiles: '{name} ({language}, {n} files)',
  usedInFile: '{name} ({language}, 1 file)',
  noneRead: 'None found in the code that was read (files: {n}).',
  noneUnread: 'Not looked at: {list}.',
  nothingRead: 'Not looked at: the project has no file of a language that is read.',
  summary: 'Executive summary',
  dependencies: 'Dependencies',
  libraries: 'Libraries',
  services: 'Services',
  serviceHead: ['Service', 'Kind', 'Folder', 'Shown by'],
  serviceKinds: {
    service: 'service',
    'web application': 'web application',
    'mobile application': 'mobile application',
    command: 'command',
  },
  systemRelations: 'Relations of services, stores and brokers',
  systemHead: ['From', 'To', 'Kind', 'Protocol', 'About', 'Source'],
  systemKinds: { service: 'service', store: 'store', broker: 'broker', outside: 'outside system' },
  system: 'Services, stores and outside systems',
  types: 'Types',
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
  none: 'None found.',
  more: '{n} more are not shown.',
  cutDiagram: '{nodes} nodes and {edges} edges are not shown: the diagram shows the most connected part.',
  legend: 'Full names of shortened labels',
  legendHead: ['Node', 'Name', 'Source'],
  impact: 'Expected impact',
  kinds: {
    hexagonal: 'hexagonal',
    layered: 'layered',
    modular: 'modular',
    plain: 'one module, no known pattern',
  },
  tools: { maven: 'Maven', gradle: 'Gradle', npm: 'npm', plain: 'none found' },
  kindLine: 'Architecture: {kind}. Build tool: {tool}{stack}.',
  boot: ', Spring Boot {version}',
  java: ', Java {version}',
  modulesLine:
    'Modules: {modules}; classes: {classes}; packages: {packages}; deployable applications: {services}.',
  rolesLine:
    'Components: controllers {controllers}, services {servicesCount}, repositories {repositories}, declared clients {clients}.',
  trafficLine:
    'Entry points: {inbound}{protocols}; outgoing connections: {outbound}, to different targets: {targets}.',
  riskLine: 'Main risks: {counts}; the most severe: {first}',
  noRiskLine: 'Main risks: none of medium or higher severity.',
  secretLine: 'Secrets in plain text: {n}. They are masked in this report. Move them to a secret store.',
  warningLine: 'Warnings during the analysis: {n}; the first: {first}',
  severities: { critical: 'critical', high: 'high', medium: 'medium', low: 'low', info: 'info' },
  rules: {
    long_class: { fact: 'the class has {value} lines', advice: 'Split it by responsibility.' },
    long_method: { fact: 'the method has {value} lines', advice: 'Extract its steps into methods.' },
    many_parameters: {
      fact: 'the constructor takes {value} parameters',
      advice: 'Group related parameters, or split the class.',
    },
    duplicate: {
      fact: '{value} methods have the same body',
      advice: 'Keep one of them and let the others call it.',
    },
    field_injection: {
      fact: '{value} fields use field injection',
      advice: 'Use constructor injection, so that a test can create the class.',
    },
    domain_framework: {
      fact: 'the domain imports {value} names of frameworks or infrastructure',
      advice: 'Define a port in the domain and implement it in the infrastructure.',
    },
    skips_service: {
      fact: 'a controller uses a repository directly',
      advice: 'Add a service between them.',
    },
    cycle: {
      fact: '{value} types form a dependency cycle',
      advice: 'Break the cycle with an interface or an event.',
    },
    silent_catch: { fact: 'an exception is caught and ignored', advice: 'Handle it, or do not catch it.' },
    print_stack: { fact: 'a stack trace is printed', advice: 'Use the logger.' },
    raw_thread: { fact: 'a thread is created directly', advice: 'Use an executor, or virtual threads.' },
    no_resilience: {
      fact: 'outgoing calls have no circuit breaker, retry or timeout',
      advice: 'Add one to the client.',
    },
    no_advice: {
      fact: '{value} controllers, and no common exception handler',
      advice: 'Add a controller advice.',
    },
    many_values: {
      fact: '{value} values are injected one by one, and no configuration properties class exists',
      advice: 'Bind them to one validated class.',
    },
    untested: {
      fact: '{value} controllers and services have no test named after them',
      advice: 'Start with this one.',
    },
    old_java: { fact: 'the build uses Java {value}', advice: 'Upgrade to Java 21.' },
    old_boot: {
      fact: 'Spring Boot {value} is no longer maintained',
      advice: 'Upgrade to the current major version.',
    },
    secret: {
      fact: 'the file contains a secret in plain text',
      advice: 'Revoke it, and read it from a secret store or the environment.',
    },
  } as Readonly<Record<string, RuleSentences>>,
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
