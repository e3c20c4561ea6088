#!/usr/bin/env node
import '../app/guard.ts'
import { leaveWith } from '../app/leave.ts'
import { runSeed } from '../app/seed-server.ts'
import { sentinelServer } from '../app/sentinel-server.ts'
import { terminal } from '../app/terminal.ts'

void leaveWith(runSeed(sentinelServer, process.argv.slice(2), terminal))
