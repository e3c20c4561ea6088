#!/usr/bin/env node
import '../app/redirect-console.ts'
import { leaveWith } from '../app/exit-code.ts'
import { runSeed } from '../app/servers/compat-server.ts'
import { cpmServer } from '../app/servers/cpm.ts'
import { terminal } from '../app/terminal.ts'

void leaveWith(runSeed(cpmServer, process.argv.slice(2), terminal))
