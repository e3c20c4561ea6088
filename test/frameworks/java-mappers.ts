import type { FrameworkSnippets } from './snippet-corpus.ts'

const MYBATIS: FrameworkSnippets = {
  framework: 'MyBatis',
  language: 'Java, Kotlin',
  finds: ['stores'],
  found: [
    {
      title: 'a mapper with an annotation',
      files: {
        'OrderMapper.java': `import org.apache.ibatis.annotations.*;
@Mapper interface OrderMapper { @Select("select 1") int one(); }`,
        'application.yml': 'spring:\n  datasource:\n    url: jdbc:mysql://db:3306/shop',
      },
      rows: [
        'out 2: JDBC MyBatis -> jdbc:mysql://db:3306/shop, OrderMapper [medium]',
        'out 3: JDBC Data source -> jdbc:mysql://db:3306/shop; path spring.datasource.url',
      ],
    },
    {
      title: 'the base of MyBatis-Plus',
      files: {
        'UserMapper.java': `import com.baomidou.mybatisplus.core.mapper.BaseMapper;
public interface UserMapper extends BaseMapper<User> {}`,
      },
      rows: ['out 2: JDBC MyBatis -> JDBC store, UserMapper; path User [low]'],
    },
    {
      title: 'a mapper in Kotlin',
      files: {
        'OrderMapper.kt': `import org.apache.ibatis.annotations.Mapper
import org.apache.ibatis.annotations.Select

@Mapper
interface OrderMapper {
    @Select("select count(*) from orders")
    fun count(): Int
}
`,
      },
      rows: ['out 5: JDBC MyBatis -> JDBC store, OrderMapper [low]'],
    },
    {
      title: 'packages that are scanned',
      files: {
        'Config.java': '@MapperScan({"shop.mapper", "shop.*.dao"}) class Config {}',
        'shop/mapper/CartMapper.java': 'package shop.mapper;\npublic interface CartMapper { int count(); }',
        'shop/user/dao/UserDao.java': 'package shop.user.dao;\npublic interface UserDao { int count(); }',
      },
      rows: [
        'out 2: JDBC MyBatis -> JDBC store, CartMapper [low]',
        'out 2: JDBC MyBatis -> JDBC store, UserDao [low]',
      ],
    },
  ],
  notFound: [
    {
      title: 'mappers of MapStruct and of the project',
      files: {
        'CartMapper.java':
          'import org.mapstruct.Mapper;\n@Mapper interface CartMapper extends BaseMapper<Cart, CartView> {}',
      },
    },
  ],
}

const EXPOSED: FrameworkSnippets = {
  framework: 'Exposed',
  language: 'Kotlin',
  finds: ['stores'],
  found: [
    {
      title: 'a connection with an address',
      files: {
        'Database.kt': `import org.jetbrains.exposed.sql.Database
fun connect() {
    Database.connect("jdbc:h2:mem:test;DB_CLOSE_DELAY=-1", driver = "org.h2.Driver")
}
`,
      },
      rows: ['out 3: JDBC Exposed -> jdbc:h2:mem:test'],
    },
    {
      title: 'an address in a variable',
      files: {
        'Database.kt': `import org.jetbrains.exposed.sql.*
class Databases {
    private val url = "jdbc:postgresql://db:5432/shop"
    fun open() = Database.connect(url, user = "x")
}
`,
      },
      rows: ['out 4: JDBC Exposed -> jdbc:postgresql://db:5432/shop, Databases'],
    },
    {
      title: 'a data source',
      files: {
        'Database.kt': `import org.jetbrains.exposed.sql.Database
object Databases {
    fun open(source: HikariDataSource) {
        Database.connect(source)
    }
}
`,
      },
      rows: ['out 4: JDBC Exposed -> JDBC store, Databases [low]'],
    },
  ],
  notFound: [
    {
      title: 'another connection',
      files: {
        'A.kt': 'import org.jetbrains.exposed.sql.Table\n\nfun open() { socket.connect("jdbc:h2:mem:x") }\n',
      },
    },
  ],
}

export const JAVA_MAPPER_SNIPPETS: readonly FrameworkSnippets[] = [MYBATIS, EXPOSED]
