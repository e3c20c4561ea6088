#!/usr/bin/env node
import '../app/guard.ts'
import { runEnterprise } from '../app/enterprise-server.ts'
import { terminal } from '../app/terminal.ts'

process.exitCode = await runEnterprise(process.argv.slice(2), terminal)
