#!/usr/bin/env node
import '../app/guard.ts'
import { enterpriseServer } from '../app/enterprise-server.ts'
import { leaveWith } from '../app/leave.ts'
import { runSeed } from '../app/seed-server.ts'
import { terminal } from '../app/terminal.ts'

void leaveWith(runSeed(enterpriseServer, process.argv.slice(2), terminal))
