import type { ReportStrings } from './strings-en.ts'

export const ES: ReportStrings = {
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
    'Módulos: {modules}; clases: {classes}; paquetes: {packages}; aplicaciones desplegables: {services}.',
  rolesLine:
    'Componentes: controladores {controllers}, servicios {servicesCount}, repositorios {repositories}, clientes declarados {clients}.',
  trafficLine:
    'Puntos de entrada: {inbound}{protocols}; conexiones salientes: {outbound}, destinos distintos: {targets}.',
  riskLine: 'Riesgos principales: {counts}; el más grave: {first}',
  calmLine: 'Riesgos principales: no se midió nada por encima de las gravedades más bajas.',
  secretLine:
    'Secretos en texto claro: {n}. En este informe aparecen enmascarados; su sitio es un almacén de secretos.',
  warningLine: 'Avisos durante la lectura: {n}; el primero: {first}',
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
  places: {
    'private key': 'clave privada',
    'credentials in an address': 'credenciales en una dirección',
  },
  impacts: {
    readability: 'legibilidad',
    maintainability: 'mantenibilidad',
    testability: 'capacidad de prueba',
    reliability: 'fiabilidad',
    security: 'seguridad',
  },
}
