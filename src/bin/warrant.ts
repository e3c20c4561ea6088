#!/usr/bin/env node
import '../app/guard.ts'
import { leaveWith } from '../app/leave.ts'
import { main } from '../app/main.ts'
import { terminal } from '../app/terminal.ts'

void leaveWith(main(process.argv.slice(2), terminal))
