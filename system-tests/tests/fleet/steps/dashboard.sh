# Every query of the dashboard is understood by Prometheus and has an answer; what it is drawn as, Grafana knows.
python3 - "$REPOSITORY/fleet/monitoring/wirespeed.dashboard.json" > queries <<'END'
import json, sys
dashboard = json.load(open(sys.argv[1]))
panels = dashboard["panels"]
assert dashboard["uid"] and dashboard["schemaVersion"] >= 36
assert len({panel["id"] for panel in panels}) == len(panels)
taken = set()
for panel in panels:
    place = panel["gridPos"]
    cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
    assert place["x"] + place["w"] <= 24 and not cells & taken, panel["title"]
    taken |= cells
    assert panel["type"] in ("stat", "timeseries", "table", "barchart") and panel["description"], panel["title"]
    for target in panel["targets"]:
        print(target["expr"].replace("$instance", ".*").replace("$__rate_interval", "1m"))
END
while read -r query; do
    promtool query instant http://127.0.0.1:9090 "$query" > answer
    [ -s answer ] || { echo "nothing: $query"; exit 1; }
done < queries
