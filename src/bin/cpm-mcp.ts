#!/usr/bin/env node
import '../app/guard.ts'
import { cpmServer } from '../app/cpm-server.ts'
import { leaveWith } from '../app/leave.ts'
import { runSeed } from '../app/seed-server.ts'
import { terminal } from '../app/terminal.ts'

void leaveWith(runSeed(cpmServer, process.argv.slice(2), terminal))
