#!/usr/bin/env node
import '../app/redirect-console.ts'
import { exitWith } from '../app/report-failure.ts'
import { runCompatServer } from '../app/servers/compat-server.ts'
import { evidenceServer } from '../app/servers/evidence.ts'
import { terminal } from '../app/terminal.ts'

void exitWith(runCompatServer(evidenceServer, process.argv.slice(2), terminal))
