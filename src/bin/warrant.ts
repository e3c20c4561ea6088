#!/usr/bin/env node
import '../app/redirect-console.ts'
import { main } from '../app/commands/main.ts'
import { exitWith } from '../app/exit-code.ts'
import { terminal } from '../app/terminal.ts'

void exitWith(main(process.argv.slice(2), terminal))
