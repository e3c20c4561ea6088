import type { ReportStrings } from './strings-en.ts'

export const ES: ReportStrings = {
  generated: 'Generado',
  root: 'Raíz',
  version: 'Versión',
  hash: 'SHA-256 de {file}',
  summary: 'Resumen ejecutivo',
  dependencies: 'Dependencias',
  libraries: 'Bibliotecas',
  services: 'Servicios',
  serviceHead: ['Servicio', 'Clase', 'Carpeta', 'Se ve en'],
  serviceKinds: {
    service: 'servicio',
    'web application': 'aplicación web',
    'mobile application': 'aplicación móvil',
    command: 'programa de consola',
  },
  systemRelations: 'Relaciones entre servicios, almacenes y brokers',
  systemHead: ['Origen', 'Destino', 'Clase', 'Protocolo', 'Sobre', 'Fuente'],
  systemKinds: { service: 'servicio', store: 'almacén', broker: 'broker', outside: 'sistema externo' },
  system: 'Servicios, almacenes y sistemas externos',
  types: 'Tipos',
  relations: 'Relaciones entre servicios',
  entries: 'Puntos de entrada',
  diagram: 'Diagrama de arquitectura',
  suggestions: 'Sugerencias de refactorización',
  libraryHead: ['Módulo', 'GroupId', 'ArtifactId', 'Version'],
  relationHead: ['Origen', 'Tipo', 'Destino', 'Tipo de llamada'],
  entryHead: ['Protocolo', 'Punto de entrada', 'Manejador', 'Fuente'],
  size: 'Complejidad y tamaño',
  coupling: 'Acoplamiento y cohesión',
  smells: 'Malos olores y riesgos',
  none: 'No se encontró nada.',
  more: 'No se muestran {n} más.',
  cutDiagram: 'No se muestran {nodes} nodos ni {edges} enlaces: el diagrama muestra la parte más conectada.',
  legend: 'Nombres completos de las etiquetas abreviadas',
  legendHead: ['Nodo', 'Nombre', 'Fuente'],
  impact: 'Impacto esperado',
  kinds: {
    hexagonal: 'hexagonal',
    layered: 'por capas',
    modular: 'modular',
    plain: 'un módulo, sin patrón conocido',
  },
  tools: { maven: 'Maven', gradle: 'Gradle', npm: 'npm', plain: 'ninguna encontrada' },
  kindLine: 'Arquitectura: {kind}. Herramienta de construcción: {tool}{stack}.',
  boot: ', Spring Boot {version}',
  java: ', Java {version}',
  modulesLine:
    'Módulos: {modules}; clases: {classes}; paquetes: {packages}; aplicaciones desplegables: {services}.',
  rolesLine:
    'Componentes: controladores {controllers}, servicios {servicesCount}, repositorios {repositories}, clientes declarados {clients}.',
  trafficLine:
    'Puntos de entrada: {inbound}{protocols}; conexiones salientes: {outbound}, destinos distintos: {targets}.',
  riskLine: 'Riesgos principales: {counts}; el más grave: {first}',
  noRiskLine: 'Riesgos principales: ninguno de gravedad media o superior.',
  secretLine:
    'Secretos en texto claro: {n}. En este informe aparecen enmascarados. Hay que moverlos a un almacén de secretos.',
  warningLine: 'Avisos durante el análisis: {n}; el primero: {first}',
  severities: { critical: 'crítica', high: 'alta', medium: 'media', low: 'baja', info: 'informativa' },
  rules: {
    long_class: { fact: 'la clase tiene {value} líneas', advice: 'Dividirla por responsabilidades.' },
    long_method: { fact: 'el método tiene {value} líneas', advice: 'Extraer sus pasos a otros métodos.' },
    many_parameters: {
      fact: 'el constructor recibe {value} parámetros',
      advice: 'Agrupar los parámetros relacionados o dividir la clase.',
    },
    duplicate: {
      fact: '{value} métodos tienen el mismo cuerpo',
      advice: 'Conservar uno y llamarlo desde los demás.',
    },
    field_injection: {
      fact: '{value} campos usan inyección por campo',
      advice: 'Usar inyección por constructor, para poder crear la clase en una prueba.',
    },
    domain_framework: {
      fact: 'el dominio importa {value} nombres de frameworks o infraestructura',
      advice: 'Definir un puerto en el dominio e implementarlo en la infraestructura.',
    },
    skips_service: {
      fact: 'un controlador usa un repositorio directamente',
      advice: 'Añadir un servicio entre ambos.',
    },
    cycle: {
      fact: '{value} tipos forman un ciclo de dependencias',
      advice: 'Romper el ciclo con una interfaz o un evento.',
    },
    silent_catch: { fact: 'se captura una excepción y se ignora', advice: 'Tratarla o no capturarla.' },
    print_stack: { fact: 'se imprime la traza de una excepción', advice: 'Usar el registro (logger).' },
    raw_thread: { fact: 'se crea un hilo directamente', advice: 'Usar un ejecutor o hilos virtuales.' },
    no_resilience: {
      fact: 'las llamadas salientes no tienen cortacircuitos, reintento ni tiempo límite',
      advice: 'Añadirlo al cliente.',
    },
    no_advice: {
      fact: '{value} controladores y ningún tratamiento común de excepciones',
      advice: 'Añadir un controller advice.',
    },
    many_values: {
      fact: 'se inyectan {value} valores uno a uno y no hay clase de propiedades',
      advice: 'Vincularlos a una clase validada.',
    },
    untested: {
      fact: '{value} controladores y servicios no tienen una prueba con su nombre',
      advice: 'Empezar por este.',
    },
    old_java: { fact: 'el proyecto usa Java {value}', advice: 'Actualizar a Java 21.' },
    old_boot: {
      fact: 'Spring Boot {value} ya no se mantiene',
      advice: 'Actualizar a la versión mayor actual.',
    },
    secret: {
      fact: 'el archivo contiene un secreto en texto claro',
      advice: 'Revocarlo y leerlo de un almacén de secretos o del entorno.',
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
