#!/usr/bin/env node
import '../app/guard.ts'
import { main } from '../app/main.ts'
import { terminal } from '../app/terminal.ts'

process.exitCode = await main(process.argv.slice(2), terminal)
