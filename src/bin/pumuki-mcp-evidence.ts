#!/usr/bin/env node
import '../app/guard.ts'
import { evidenceServer } from '../app/evidence-server.ts'
import { leaveWith } from '../app/leave.ts'
import { runSeed } from '../app/seed-server.ts'
import { terminal } from '../app/terminal.ts'

void leaveWith(runSeed(evidenceServer, process.argv.slice(2), terminal))
