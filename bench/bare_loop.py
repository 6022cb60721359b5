"""The least an agent can be: a peer that shows what the machine itself costs."""

import http.client
import json
import subprocess
import sys

connection = http.client.HTTPConnection(sys.argv[1])
messages = [{"role": "user", "content": sys.argv[2]}]
while True:
    body = json.dumps({"model": "scripted", "messages": messages})
    connection.request("POST", "/v1/chat/completions", body)
    message = json.load(connection.getresponse())["choices"][0]["message"]
    messages.append(message)
    for call in message.get("tool_calls") or ():
        command = json.loads(call["function"]["arguments"])["command"]
        done = subprocess.run(command, shell=True, capture_output=True, text=True)
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": done.stdout})
    if not message.get("tool_calls"):
        sys.exit(print(message["content"]))
