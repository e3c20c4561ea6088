#!/usr/bin/env node
import '../app/redirect-console.ts'
import { exitWith } from '../app/report-failure.ts'
import { terminal } from '../app/terminal.ts'
import { main } from '../cli/main.ts'

void exitWith(main(process.argv.slice(2), terminal))
