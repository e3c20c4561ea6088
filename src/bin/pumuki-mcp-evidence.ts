#!/usr/bin/env node
import '../app/redirect-console.ts'
import { leaveWith } from '../app/exit-code.ts'
import { runSeed } from '../app/servers/compat-server.ts'
import { evidenceServer } from '../app/servers/evidence.ts'
import { terminal } from '../app/terminal.ts'

void leaveWith(runSeed(evidenceServer, process.argv.slice(2), terminal))
