/** Every sentence of a report, in each of its languages. `{…}` is filled in. */

export const LANGUAGES = ['en', 'es'] as const
export type Language = (typeof LANGUAGES)[number]

interface RuleWords {
  readonly fact: string
  readonly advice: string
}

const EN = {
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
    '{modules} modules with {classes} classes in {packages} packages; {services} deployable applications.',
  rolesLine:
    'Components: {controllers} controllers, {servicesCount} services, {repositories} repositories, {clients} declared clients.',
  trafficLine: '{inbound} entry points{protocols}; {outbound} outgoing connections to {targets} targets.',
  riskLine: 'Main risks: {counts}; the gravest: {first}',
  calmLine: 'Main risks: nothing above the lowest severities was measured.',
  secretLine:
    '{n} secrets stand in the files in plain text. They are masked in this report and belong in a vault.',
  warningLine: '{n} warnings were noted while reading; the first: {first}',
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
  impacts: {
    readability: 'readability',
    maintainability: 'maintainability',
    testability: 'testability',
    reliability: 'reliability',
    security: 'security',
  },
}

export type Words = typeof EN

const ES: Words = {
  generated: 'Generado',
  root: 'Raíz',
  version: 'Versión',
  hash: 'SHA-256 de {file}',
  summary: 'Resumen ejecutivo',
  dependencies: 'Dependencias',
  libraries: 'Bibliotecas',
  relations: 'Relaciones entre servicios',
  entries: 'Puntos de entrada',
  diagram: 'Diagrama de arquitectura',
  suggestions: 'Sugerencias de refactorización',
  libraryHead: ['Módulo', 'GroupId', 'ArtifactId', 'Version'],
  relationHead: ['Origen', 'Tipo', 'Destino', 'Tipo de llamada'],
  entryHead: ['Protocolo', 'Punto de entrada', 'Responsable', 'Fuente'],
  size: 'Complejidad y tamaño',
  coupling: 'Acoplamiento y cohesión',
  smells: 'Malos olores y riesgos',
  none: 'No se encontró nada.',
  more: 'Se omiten {n} más.',
  cutDiagram: 'Se omiten {nodes} cajas y {edges} flechas: el diagrama muestra la parte más conectada.',
  legend: 'Nombres que no caben en sus cajas',
  legendHead: ['Caja', 'Nombre', 'Fuente'],
  impact: 'Impacto esperado',
  kinds: { hexagonal: 'hexagonal', layered: 'por capas', modular: 'modular', plain: 'simple' },
  kindLine: 'Arquitectura: {kind}, construida con {tool}{stack}.',
  boot: ', Spring Boot {version}',
  java: ', Java {version}',
  modulesLine:
    '{modules} módulos con {classes} clases en {packages} paquetes; {services} aplicaciones desplegables.',
  rolesLine:
    'Componentes: {controllers} controladores, {servicesCount} servicios, {repositories} repositorios, {clients} clientes declarados.',
  trafficLine:
    '{inbound} puntos de entrada{protocols}; {outbound} conexiones salientes hacia {targets} destinos.',
  riskLine: 'Riesgos principales: {counts}; el más grave: {first}',
  calmLine: 'Riesgos principales: no se midió nada por encima de las gravedades más bajas.',
  secretLine:
    '{n} secretos están en texto claro en los archivos. En este informe aparecen enmascarados; su sitio es un almacén de secretos.',
  warningLine: '{n} avisos durante la lectura; el primero: {first}',
  severities: { critical: 'crítica', high: 'alta', medium: 'media', low: 'baja', info: 'informativa' },
  rules: {
    long_class: { fact: 'la clase tiene {value} líneas', advice: 'Dividirla por responsabilidades.' },
    long_method: { fact: 'el método tiene {value} líneas', advice: 'Extraer los pasos que lo componen.' },
    many_parameters: {
      fact: 'el constructor recibe {value} parámetros',
      advice: 'Agrupar lo que va junto o dividir la clase.',
    },
    duplicate: {
      fact: '{value} métodos tienen el mismo cuerpo',
      advice: 'Conservar uno y llamarlo desde los demás.',
    },
    field_injection: {
      fact: 'se inyectan {value} campos',
      advice: 'Inyectar por el constructor, para poder crear la clase en una prueba.',
    },
    domain_framework: {
      fact: 'el dominio importa {value} nombres de frameworks o infraestructura',
      advice: 'Poner un puerto en medio y mantener libre el dominio.',
    },
    skips_service: {
      fact: 'un controlador usa un repositorio directamente',
      advice: 'Interponer un servicio.',
    },
    cycle: {
      fact: '{value} tipos dependen unos de otros en círculo',
      advice: 'Romper el círculo con una interfaz o un evento.',
    },
    silent_catch: { fact: 'se captura una excepción y se descarta', advice: 'Tratarla o dejarla pasar.' },
    print_stack: { fact: 'se imprime la traza de una excepción', advice: 'Registrarla en el log.' },
    raw_thread: { fact: 'se arranca un hilo a mano', advice: 'Usar un ejecutor o hilos virtuales.' },
    no_resilience: {
      fact: 'las llamadas a otros no tienen cortacircuitos, reintento ni tiempo límite',
      advice: 'Añadirlo donde la llamada sale del proceso.',
    },
    no_advice: {
      fact: '{value} controladores y ningún tratamiento común de excepciones',
      advice: 'Añadir un controller advice.',
    },
    many_values: {
      fact: 'se inyectan {value} valores sueltos y no hay clase de propiedades',
      advice: 'Vincularlos a una clase validada.',
    },
    untested: {
      fact: '{value} controladores y servicios no tienen prueba con su nombre',
      advice: 'Empezar por este.',
    },
    old_java: { fact: 'la construcción pide Java {value}', advice: 'Pasar a la versión 21.' },
    old_boot: { fact: 'Spring Boot {value} ya no se mantiene', advice: 'Pasar a la versión mayor actual.' },
    secret: {
      fact: 'hay un secreto escrito en el archivo',
      advice: 'Revocarlo y leerlo de un almacén o del entorno.',
    },
  },
  impacts: {
    readability: 'legibilidad',
    maintainability: 'mantenibilidad',
    testability: 'capacidad de prueba',
    reliability: 'fiabilidad',
    security: 'seguridad',
  },
}

export const WORDS: Readonly<Record<Language, Words>> = { en: EN, es: ES }

export const RULE_IMPACTS: Readonly<Record<string, readonly (keyof Words['impacts'])[]>> = {
  long_class: ['readability', 'maintainability'],
  long_method: ['readability', 'testability'],
  many_parameters: ['readability', 'testability'],
  duplicate: ['maintainability'],
  field_injection: ['testability'],
  domain_framework: ['maintainability', 'testability'],
  skips_service: ['maintainability'],
  cycle: ['maintainability', 'testability'],
  silent_catch: ['reliability', 'maintainability'],
  print_stack: ['maintainability'],
  raw_thread: ['reliability', 'maintainability'],
  no_resilience: ['reliability'],
  no_advice: ['maintainability', 'readability'],
  many_values: ['maintainability', 'readability'],
  untested: ['testability'],
  old_java: ['maintainability', 'security'],
  old_boot: ['security', 'maintainability'],
  secret: ['security'],
}

/** Puts values in place of `{…}`. */
export const say = (sentence: string, values: Readonly<Record<string, string | number>>): string =>
  sentence.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  )
