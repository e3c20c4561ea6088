#!/usr/bin/env node
import '../app/redirect-console.ts'
import { leaveWith } from '../app/exit-code.ts'
import { runSeed } from '../app/servers/compat-server.ts'
import { scgServer } from '../app/servers/scg.ts'
import { terminal } from '../app/terminal.ts'

void leaveWith(runSeed(scgServer, process.argv.slice(2), terminal))
