/** The names of the gateway's own tools (docs/protocol.md): no skill and no server of tools may take one. */
export const OWN_TOOLS: readonly string[] = [
  ...['update_plan', 'create_artifact', 'attach_artifact', 'read_file', 'write_file', 'list_files'],
  ...['remember', 'memory_search', 'ask_user', 'ask_agent', 'notify', 'read_skill', 'run_skill_file', 'find_skill'],
  ...['list_tasks', 'open_task', 'new_task', 'forget', 'what_was_done', 'set_timezone', 'change_scheduled_job'],
  ...['create_scheduled_job', 'list_scheduled_jobs', 'delete_scheduled_job', 'set_model', 'use_viber'],
  'web_search',
];
