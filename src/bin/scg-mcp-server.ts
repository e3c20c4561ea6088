#!/usr/bin/env node
import '../app/guard.ts'
import { leaveWith } from '../app/leave.ts'
import { scgServer } from '../app/scg-server.ts'
import { runSeed } from '../app/seed-server.ts'
import { terminal } from '../app/terminal.ts'

void leaveWith(runSeed(scgServer, process.argv.slice(2), terminal))
