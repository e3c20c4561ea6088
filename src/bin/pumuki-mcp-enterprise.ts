#!/usr/bin/env node
import '../app/redirect-console.ts'
import { leaveWith } from '../app/exit-code.ts'
import { runSeed } from '../app/servers/compat-server.ts'
import { enterpriseServer } from '../app/servers/enterprise.ts'
import { terminal } from '../app/terminal.ts'

void leaveWith(runSeed(enterpriseServer, process.argv.slice(2), terminal))
