import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** @param {number} at */
const controller = (at) => `package big.p${at % 40};

import org.springframework.web.bind.annotation.*;
import org.springframework.web.client.RestTemplate;

@RestController
@RequestMapping("/api/${at}")
public class Thing${at}Controller {
    private final RestTemplate rest = new RestTemplate();
    private final Thing${at + 1}Service service;

    public Thing${at}Controller(Thing${at + 1}Service service) { this.service = service; }
${Array.from(
  { length: 6 },
  (_, one) => `
    @GetMapping("/${one}/{id}")
    public String get${one}(@PathVariable String id) {
        if (id.isEmpty()) { throw new IllegalArgumentException("no id in ${at}"); }
        return rest.getForObject("http://s${at % 20}.internal/things/" + id, String.class);
    }`,
).join('\n')}
}
`

/** @param {number} at */
const service = (at) => `package big.p${at % 40};

import org.springframework.stereotype.Service;

@Service
public class Thing${at}Service {
    private final Thing${at + 1}Repository store;
    public Thing${at}Service(Thing${at + 1}Repository store) { this.store = store; }
${Array.from({ length: 10 }, (_, one) => `    public int work${one}(int a, int b) { return a + b * ${one}; }`).join('\n')}
}
`

/** @param {number} at */
const repository = (at) => `package big.p${at % 40};

public interface Thing${at}Repository extends JpaRepository<Thing${at}, Long> { }
`

const KINDS = [
  { name: 'Controller', write: controller },
  { name: 'Service', write: service },
  { name: 'Repository', write: repository },
]

/**
 * A Spring project of so many classes that know one another, the same every time.
 *
 * @param {string} root
 * @param {number} count
 * @returns the bytes of its sources
 */
export function layJava(root, count) {
  let bytes = 0
  /** @param {string} path @param {string} text */
  const put = (path, text) => {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
    bytes += text.length
  }
  put('pom.xml', '<project><groupId>big</groupId><artifactId>big</artifactId><version>1</version></project>')
  for (let at = 0; at < count; at++) {
    const { name, write } = KINDS[at % 3] ?? { name: '', write: String }
    put(`src/main/java/big/p${at % 40}/Thing${at}${name}.java`, write(at))
  }
  return bytes
}

/** One class of so many lines. @param {number} lines */
export function longClass(lines) {
  const methods = Array.from(
    { length: Math.floor((lines - 4) / 5) },
    (_, at) => `    /** What it does. */
    public int work${at}(int a, int b) {
        int sum = a + b * ${at};
        return sum;
    }`,
  )
  return `package big;\n\npublic class Long {\n${methods.join('\n')}\n}\n`
}
