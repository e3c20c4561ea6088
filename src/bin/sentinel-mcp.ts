#!/usr/bin/env node
import '../app/redirect-console.ts'
import { exitWith } from '../app/report-failure.ts'
import { runCompatServer } from '../app/servers/compat-server.ts'
import { sentinelServer } from '../app/servers/sentinel.ts'
import { terminal } from '../app/terminal.ts'

void exitWith(runCompatServer(sentinelServer, process.argv.slice(2), terminal))
