/** Holds the manifest from which Slack creates the app; docs/slack.md shows the same. */
import { SLACK_EVENTS, SLACK_SCOPES } from './scopes.ts';

const yamlList = (items: readonly string[], indent: number) =>
  items.map((item) => `${' '.repeat(indent)}- ${item}`).join('\n');

export const slackManifest = `display_information:
  name: Viber
  description: The AI worker on your own machine
features:
  app_home:
    home_tab_enabled: false
    messages_tab_enabled: true
    messages_tab_read_only_enabled: false
  bot_user:
    display_name: viber
    always_online: true
  agent_view:
    agent_description: Works on tasks with you. A task keeps its plan and files on every platform.
  slash_commands:
    - command: /viber
      description: Give your viber a task, or ask how it stands
      usage_hint: "GOAL, status, plan, tasks, open ID, help"
      should_escape: false
oauth_config:
  scopes:
    bot:
${yamlList(SLACK_SCOPES, 6)}
settings:
  event_subscriptions:
    bot_events:
${yamlList(SLACK_EVENTS, 6)}
  interactivity:
    is_enabled: true
  org_deploy_enabled: false
  socket_mode_enabled: true
  token_rotation_enabled: false
`;
