#!/usr/bin/env node
import '../app/redirect-console.ts'
import { leaveWith } from '../app/exit-code.ts'
import { runSeed } from '../app/servers/compat-server.ts'
import { sentinelServer } from '../app/servers/sentinel.ts'
import { terminal } from '../app/terminal.ts'

void leaveWith(runSeed(sentinelServer, process.argv.slice(2), terminal))
