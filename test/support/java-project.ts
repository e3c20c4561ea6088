/** A deterministic Spring project of any size: controllers, services and repositories that inject one another. */
export const javaProject = (count: number): Record<string, string> => {
  const files: Record<string, string> = {
    'pom.xml': '<project><groupId>big</groupId><artifactId>big</artifactId><version>1</version></project>',
    'src/main/resources/application.properties': Array.from(
      { length: 20 },
      (_, at) => `url.s${at}=http://s${at}.internal/api`,
    ).join('\n'),
  }
  for (let at = 0; at < count; at += 1) {
    const name = `Thing${at}`
    const folder = `src/main/java/big/p${at % 40}`
    files[`${folder}/${name}${KINDS[at % 3]?.ending}.java`] = KINDS[at % 3]?.write(name, at) ?? ''
  }
  return files
}

const method = (at: number, one: number): string => `
    @GetMapping("/${one}/{id}")
    public String get${one}(@PathVariable String id) {
        String url = base + "/things/" + id;
        if (id.isEmpty()) { throw new IllegalArgumentException("no id in ${at}"); }
        return rest.getForObject(url, String.class);
    }`

const head = (at: number): string => `package big.p${at % 40};

import org.springframework.web.bind.annotation.*;
import org.springframework.web.client.RestTemplate;
`

const KINDS = [
  {
    ending: 'Controller',
    write: (name: string, at: number) => `${head(at)}
@RestController
@RequestMapping("/api/${at}")
public class ${name}Controller {
    @Value("\${url.s${at % 20}}")
    private String base;
    private final RestTemplate rest = new RestTemplate();
    private final Thing${at + 1}Service service;

    public ${name}Controller(Thing${at + 1}Service service) { this.service = service; }
${Array.from({ length: 6 }, (_, one) => method(at, one)).join('\n')}
}
`,
  },
  {
    ending: 'Service',
    write: (name: string, at: number) => `${head(at)}
@Service
public class ${name}Service {
    private final Thing${at + 1}Repository store;
    public ${name}Service(Thing${at + 1}Repository store) { this.store = store; }
${Array.from({ length: 10 }, (_, one) => `    public int work${one}(int a, int b) { int sum = a + b * ${one}; for (int i = 0; i < 3; i++) { sum += i; } return sum; }`).join('\n')}
}
`,
  },
  {
    ending: 'Repository',
    write: (name: string, at: number) => `${head(at)}
public interface ${name}Repository extends JpaRepository<Thing${at}, Long> { }
`,
  },
]
